import { type GraphQLArgument, type GraphQLObjectType, getNamedType, isInputObjectType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../src/db/database.ts'
import { buildSchema } from '../../src/schema.ts'
import { type QueryResponse, startTestApp, type TestApp, type TestUser } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'
import { allRowsOf, waitForLastUsed } from './account-rows.ts'
import type { Attempt, Call } from './call.ts'
import { mutationCalls } from './mutation-calls.ts'
import {
  allowLocalWebhooks,
  createOwnedObjects,
  nonexistentObjects,
  type OwnedObjects,
  startFailingReceiver,
  withPlaceholders,
} from './owned-objects.ts'
import { queryCalls } from './query-calls.ts'
import { isSubscription, queryStream, subscriptionCalls } from './subscription-calls.ts'

const calls: Record<string, Call> = { ...queryCalls, ...mutationCalls, ...subscriptionCalls }
const schema = buildSchema()

let app: TestApp
let receiver: Receiver
let victim: OwnedObjects
let untouched: Record<string, unknown[]>
let intruder: TestUser
let own: OwnedObjects
beforeAll(async () => {
  app = await startTestApp({ env: allowLocalWebhooks })
  receiver = await startFailingReceiver()
  // Use event IDs that do not occur in other strings by chance.
  await query(app.db, 'select setval($1, $2)', ['event_id', 70_000_000_000])
  victim = await createOwnedObjects(app.owner, receiver)
  intruder = await app.createUser()
  own = await createOwnedObjects(intruder, receiver)
  await waitForLastUsed(app.db, app.owner.keyId)
  untouched = await rowsOfVictim()
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

/** Returns the arguments of every root field, every field of User, and every other field with arguments. */
function fieldsToCall(): Map<string, string[]> {
  const roots = new Set(['Query', 'Mutation', 'Subscription', 'User'])
  const types = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
  )
  const fields = types.flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
  return new Map(
    fields
      .filter(({ type, field }) => roots.has(type.name) || field.args.length > 0)
      .map(({ type, field }) => [`${type.name}.${field.name}`, field.args.flatMap(argumentNames)]),
  )
}

function argumentNames({ name, type }: GraphQLArgument): string[] {
  const named = getNamedType(type)
  return isInputObjectType(named) ? Object.keys(named.getFields()).map((field) => `${name}.${field}`) : [name]
}

describe('the calls of this test', () => {
  it('cover exactly the root fields, the fields of User, and the arguments of all fields', () => {
    const listed = new Map(
      Object.entries(calls).map(([name, { naming = {}, others = [] }]) => [name, [...Object.keys(naming), ...others]]),
    )
    const sorted = (fields: Map<string, string[]>) => [...fields].map(([name, args]) => [name, args.sort()]).sort()
    expect(sorted(listed)).toEqual(sorted(fieldsToCall()))
  })
})

const sendDocument = (user: TestUser, own: OwnedObjects, document: string): Promise<QueryResponse> =>
  isSubscription(document) ? queryStream(app, user, { document, device: own.device }) : user.query(document)

/** Returns the victim's rows without the usage counts of keys, which the server writes in the background. */
async function rowsOfVictim(): Promise<Record<string, unknown[]>> {
  const { key_use: _use, ...rows } = await allRowsOf(app.db, victim.userId)
  return rows
}

async function assertUntouched(): Promise<void> {
  expect(await rowsOfVictim()).toEqual(untouched)
  expect(receiver.received.filter(({ text }) => text.includes(victim.webhook))).toHaveLength(1)
}

/** Makes an attempt. Returns the response, with placeholders for the IDs and names in `theirs`. */
async function outcomeOf({ document }: Attempt, theirs: OwnedObjects): Promise<unknown> {
  const { status, data, errors } = await sendDocument(intruder, own, document)
  for (const { extensions } of errors ?? []) if (extensions.job !== undefined) extensions.job = 'new job'
  return withPlaceholders({ status, data, errors }, theirs)
}

function assertFoundNothing({ data, errors }: QueryResponse, { outcome }: Attempt): void {
  if (outcome === 'NOT_FOUND' || outcome === 'CONFLICT') {
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([outcome])
    expect(Object.values(data ?? {}).every((value) => value === null)).toBe(true)
    return
  }
  expect(errors).toBeUndefined()
  if (typeof outcome === 'object') expect(data).toMatchObject(outcome.finds)
}

/** Asserts that a response contains none of another user's strings except cursors and strings from the request. */
function assertShowsNothing(text: string, theirs: OwnedObjects, document: string): void {
  const { deviceCursor: _device, eventCursor: _event, deliveryCursor: _delivery, ...named } = theirs
  for (const value of Object.values(named)) if (!document.includes(value)) expect(text).not.toContain(value)
}

async function assertEmptyDownload({ data }: QueryResponse): Promise<void> {
  const { login } = data as { login: { url: string } }
  const csv = await (await fetch(login.url)).text()
  expect(csv).toMatch(/^id\b[^\n]*\n$/)
}

const attempts = Object.entries(calls).flatMap(([field, { naming = {} }]) =>
  Object.entries(naming).flatMap(([argument, tries]) =>
    [tries].flat().map((attempt, index) => ({ name: `${field}(${argument}:) ${index + 1}`, attempt })),
  ),
)

interface NamedAttempt {
  attempt: (theirs: OwnedObjects, own: OwnedObjects) => Attempt
}

const placeholder = nonexistentObjects({ deviceCursor: '', eventCursor: '', deliveryCursor: '' })

const isForOwn = ({ attempt }: NamedAttempt): boolean => attempt(placeholder, placeholder).outcome === 'own'

const isDownload = ({ attempt }: NamedAttempt): boolean =>
  attempt(placeholder, placeholder).outcome === 'empty download'

const isForOwner = ({ attempt }: NamedAttempt): boolean => {
  const { outcome, ofWrongKind } = attempt(placeholder, placeholder)
  return outcome === 'NOT_FOUND' && ofWrongKind !== true
}

interface Caller {
  user: TestUser
  own: OwnedObjects
}

/**
 * Returns the intruder. For a mutation, returns a new user with objects of every kind, because a mutation may change
 * its caller's objects.
 */
async function callerOf(field: string): Promise<Caller> {
  if (!field.startsWith('Mutation.')) return { user: intruder, own }
  const user = await app.createUser()
  return { user, own: await createOwnedObjects(user, receiver) }
}

describe('another user', () => {
  it.each(Object.entries(calls))('receives no data of the victim from %s', async (field, { plain, needsSession }) => {
    const { user, own } = await callerOf(field)
    const document = plain(own)
    const response = await sendDocument(user, own, document)
    expect(response.errors?.map(({ extensions }) => extensions.code)).toEqual(needsSession ? ['FORBIDDEN'] : undefined)
    assertShowsNothing(JSON.stringify(response.data), victim, document)
    expect(JSON.stringify(response.data)).not.toContain(app.owner.email)
    await assertUntouched()
  })

  it.each(attempts.filter((each) => !isForOwn(each)))(
    'neither finds nor changes an object with $name',
    async ({ attempt }) => {
      const onTheirs = attempt(victim, own)
      const response = await sendDocument(intruder, own, onTheirs.document)
      assertFoundNothing(response, onTheirs)
      assertShowsNothing(JSON.stringify(response), victim, onTheirs.document)
      if (onTheirs.outcome === 'empty download') await assertEmptyDownload(response)
      await assertUntouched()
    },
  )

  it.each(attempts.filter(isForOwn))('affects only its own objects with $name', async ({ name, attempt }) => {
    const { user, own } = await callerOf(name)
    const { document } = attempt(victim, own)
    const response = await sendDocument(user, own, document)
    expect(response.errors).toBeUndefined()
    assertShowsNothing(JSON.stringify(response), victim, document)
    await assertUntouched()
  })

  it.each(attempts.filter((each) => !isForOwn(each) && !isDownload(each)))(
    'receives the same response as for a nonexistent object with $name',
    async ({ attempt }) => {
      const nonexistent = nonexistentObjects(own)
      const [onTheirs, onNonexistent] = [attempt(victim, own), attempt(nonexistent, own)]
      expect(await outcomeOf(onTheirs, victim)).toEqual(await outcomeOf(onNonexistent, nonexistent))
    },
  )
})

describe('the owner', () => {
  it.each(attempts.filter(isForOwner))('finds the object with $name', async ({ name, attempt }) => {
    const { user, own } = await callerOf(name)
    const { errors } = await sendDocument(user, own, attempt(own, own).document)
    expect(errors?.[0]?.extensions.code).not.toBe('NOT_FOUND')
  })
})

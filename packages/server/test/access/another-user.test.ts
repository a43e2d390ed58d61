import { type GraphQLArgument, type GraphQLObjectType, getNamedType, isInputObjectType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../src/db/database.ts'
import { buildSchema } from '../../src/schema.ts'
import { type QueryResponse, startTestApp, type TestApp, type TestUser } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'
import {
  type Belongings,
  everyRowOf,
  giveBelongings,
  madeUpBelongings,
  receiversAllowed,
  startRefusingReceiver,
  untilUseIsWritten,
} from './belongings.ts'
import type { Attempt, Call } from './call.ts'
import { mutationCalls } from './mutation-calls.ts'
import { queryCalls } from './query-calls.ts'
import { askStream, isSubscription, subscriptionCalls } from './subscription-calls.ts'

const calls: Record<string, Call> = { ...queryCalls, ...mutationCalls, ...subscriptionCalls }
const schema = buildSchema()

let app: TestApp
let receiver: Receiver
let victim: Belongings
let untouched: Record<string, unknown[]>
let intruder: TestUser
let own: Belongings
beforeAll(async () => {
  app = await startTestApp({ env: receiversAllowed })
  receiver = await startRefusingReceiver()
  // Numbers of events that stand in no other text by chance.
  await query(app.db, 'select setval($1, $2)', ['event_id', 70_000_000_000])
  victim = await giveBelongings(app.owner, receiver)
  intruder = await app.createUser()
  own = await giveBelongings(intruder, receiver)
  await untilUseIsWritten(app.db, app.owner.keyId)
  untouched = await everyRowOf(app.db, victim.userId)
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

/** Every root field, every field of User, and every other field that takes arguments; each with its arguments. */
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

/** An argument, or the fields of the input object that it takes. */
function argumentNames({ name, type }: GraphQLArgument): string[] {
  const named = getNamedType(type)
  return isInputObjectType(named) ? Object.keys(named.getFields()).map((field) => `${name}.${field}`) : [name]
}

describe('the schema', () => {
  it('has no field or argument whose call is not written down, and no call is of something else', () => {
    const written = new Map(
      Object.entries(calls).map(([name, { naming = {}, others = [] }]) => [name, [...Object.keys(naming), ...others]]),
    )
    const sorted = (fields: Map<string, string[]>) => [...fields].map(([name, args]) => [name, args.sort()]).sort()
    expect(sorted(written)).toEqual(sorted(fieldsToCall()))
  })
})

const ask = (user: TestUser, own: Belongings, document: string): Promise<QueryResponse> =>
  isSubscription(document) ? askStream(app, user, { document, device: own.device }) : user.query(document)

/** No row of the victim's is another, and its receiver has been sent nothing since its own test. */
async function assertUntouched(): Promise<void> {
  expect(await everyRowOf(app.db, victim.userId)).toEqual(untouched)
  expect(receiver.received.filter(({ text }) => text.includes(victim.webhook))).toHaveLength(1)
}

/** The answer to an attempt, with what was named taken out of it. */
async function outcomeOf({ document }: Attempt, theirs: Belongings): Promise<unknown> {
  const { status, data, errors } = await ask(intruder, own, document)
  let text = JSON.stringify({ status, data, errors })
  for (const [name, value] of Object.entries(theirs)) text = text.replaceAll(value, `<${name}>`)
  return JSON.parse(text)
}

function assertFoundNothing({ data, errors }: QueryResponse, { outcome }: Attempt): void {
  if (outcome === 'NOT_FOUND') {
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['NOT_FOUND'])
    expect(Object.values(data ?? {}).every((value) => value === null)).toBe(true)
    return
  }
  expect(errors).toBeUndefined()
  if (typeof outcome === 'object') expect(data).toMatchObject(outcome.finds)
}

/** The texts of a user's that no answer to another may hold, but those that the caller wrote there. */
function assertShowsNothing(text: string, theirs: Belongings, asked: string): void {
  const { deviceCursor: _device, eventCursor: _event, deliveryCursor: _delivery, ...named } = theirs
  for (const value of Object.values(named)) if (!asked.includes(value)) expect(text).not.toContain(value)
}

async function assertEmptyDownload({ data }: QueryResponse): Promise<void> {
  const { login } = data as { login: { eventsUrl: string } }
  const csv = await (await fetch(login.eventsUrl)).text()
  expect(csv).toMatch(/^id,timestamp,[^\n]+\n$/)
}

const attempts = Object.entries(calls).flatMap(([field, { naming = {} }]) =>
  Object.entries(naming).flatMap(([argument, tries]) =>
    [tries].flat().map((attempt, index) => ({ name: `${field}(${argument}:) ${index + 1}`, attempt })),
  ),
)

interface Named {
  attempt: (theirs: Belongings, own: Belongings) => Attempt
}

const nobody = madeUpBelongings({ deviceCursor: '', eventCursor: '', deliveryCursor: '' })

const isForOwn = ({ attempt }: Named): boolean => attempt(nobody, nobody).outcome === 'own'

const isDownload = ({ attempt }: Named): boolean => attempt(nobody, nobody).outcome === 'empty download'

const isForOwner = ({ attempt }: Named): boolean => {
  const { outcome, ofWrongKind } = attempt(nobody, nobody)
  return outcome === 'NOT_FOUND' && ofWrongKind !== true
}

interface Caller {
  user: TestUser
  own: Belongings
}

/** Somebody with one of everything, which the call of a field may change: what changes nothing, the intruder asks. */
async function callerOf(field: string): Promise<Caller> {
  if (!field.startsWith('Mutation.')) return { user: intruder, own }
  const user = await app.createUser()
  return { user, own: await giveBelongings(user, receiver) }
}

describe('another user', () => {
  it.each(Object.entries(calls))('sees nothing in %s', async (field, { plain }) => {
    const { user, own } = await callerOf(field)
    const document = plain(own)
    const answer = await ask(user, own, document)
    expect(answer.errors).toBeUndefined()
    assertShowsNothing(JSON.stringify(answer.data), victim, document)
    expect(JSON.stringify(answer.data)).not.toContain(app.owner.email)
    await assertUntouched()
  })

  it.each(attempts.filter((each) => !isForOwn(each)))('gets nowhere with $name', async ({ attempt }) => {
    const onTheirs = attempt(victim, own)
    const answer = await ask(intruder, own, onTheirs.document)
    assertFoundNothing(answer, onTheirs)
    assertShowsNothing(JSON.stringify(answer), victim, onTheirs.document)
    if (onTheirs.outcome === 'empty download') await assertEmptyDownload(answer)
    await assertUntouched()
  })

  it.each(attempts.filter(isForOwn))('reaches nothing but its own with $name', async ({ name, attempt }) => {
    const { user, own } = await callerOf(name)
    const { document } = attempt(victim, own)
    const answer = await ask(user, own, document)
    expect(answer.errors).toBeUndefined()
    assertShowsNothing(JSON.stringify(answer), victim, document)
    await assertUntouched()
  })

  it.each(attempts.filter((each) => !isForOwn(each) && !isDownload(each)))(
    'cannot tell it from what does not exist with $name',
    async ({ attempt }) => {
      const madeUp = madeUpBelongings(own)
      const [theirs, nobodys] = [attempt(victim, own), attempt(madeUp, own)]
      expect(await outcomeOf(theirs, victim)).toEqual(await outcomeOf(nobodys, madeUp))
    },
  )
})

describe('the owner', () => {
  it.each(attempts.filter(isForOwner))('is told more with $name', async ({ name, attempt }) => {
    const { user, own } = await callerOf(name)
    const { errors } = await ask(user, own, attempt(own, own).document)
    expect(errors?.[0]?.extensions.code).not.toBe('NOT_FOUND')
  })
})

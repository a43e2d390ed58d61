import { isAbstractType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../src/db/database.ts'
import { samplePresence } from '../../src/features/availability/presence-samples.jobs.ts'
import { buildSchema } from '../../src/schema.ts'
import { startTestApp, type TestApp, type TestUser } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'
import { rowsWithoutUsage } from './account-rows.ts'
import {
  type ApiResponse,
  type Caller,
  newKey,
  rejectedCallers,
  sendDocument,
  withKey,
  withSession,
} from './callers.ts'
import { oneMinutePerCall } from './installation.ts'
import { mutationCalls } from './mutation-calls.ts'
import { allowLocalWebhooks, createOwnedObjects, type OwnedObjects, startFailingReceiver } from './owned-objects.ts'
import { everyField, everyType, type FieldRequest, objectTypes, reached, typeQueries } from './type-queries.ts'

const schema = buildSchema()
/** Sorts the requests by field. The order of the removals below depends on this order. */
const inOrder = (all: FieldRequest[]): FieldRequest[] => all.sort((one, next) => (one.field < next.field ? -1 : 1))
/** One request per field for rejected callers, and one request per root field or type for other callers. */
const [fieldRequests, typeRequests] = [everyField(schema), inOrder(everyType(schema))]
/** Each test sends hundreds of requests, which takes a long time on a slow machine. */
const longTimeout = { timeout: 600_000 }
/** These fields and introspection require no credentials. */
const publicFields = new Set(['Query.version'])

let app: TestApp
let receiver: Receiver
let victim: OwnedObjects
let email: string
let untouched: unknown
let rejected: Awaited<ReturnType<typeof rejectedCallers>>
let reader: Caller
beforeAll(async () => {
  app = await startTestApp({ env: allowLocalWebhooks, elapsed: oneMinutePerCall() })
  receiver = await startFailingReceiver()
  // Use event IDs that do not occur in other strings by chance.
  await query(app.db, 'select setval($1, $2)', ['event_id', 70_000_000_000])
  victim = await createOwnedObjects(app.owner, receiver)
  await samplePresence(app.db, new Date())
  await addKeyUse(victim.userId, victim.accessKey)
  email = app.owner.email
  rejected = await rejectedCallers(app, app.owner, victim)
  reader = await newKey(app.owner, ', readOnly: true')
  untouched = await rowsOf(victim)
})
afterAll(async () => {
  await app.close()
  await receiver.close()
  const kinds = Object.keys(rejected).length + 4
  console.log(
    `access matrix: ${fieldRequests.length} fields, ${kinds} kinds of callers, ${totals.requests} requests, ${totals.wrong} wrong responses`,
  )
})

const rowsOf = ({ userId }: OwnedObjects) => rowsWithoutUsage(app.db, userId)

/** Totals for all callers, which the tests print at the end. */
const totals = { requests: 0, wrong: 0 }

const isMutation = (document: string): boolean => document.startsWith('mutation')

/** Sends the requests. Returns the wrong responses, each with its field, the problem, its status, and its body. */
async function findWrongResponses(
  requests: readonly FieldRequest[],
  caller: Caller,
  own: OwnedObjects,
  check: (response: ApiResponse, request: FieldRequest, document: string) => unknown,
): Promise<unknown[]> {
  const wrong: unknown[] = []
  for (const request of requests) {
    const document = request.document(own)
    const response = await sendDocument(app, caller, document)
    const found = check(response, request, document)
    if (found !== undefined) wrong.push([request.field, found, response.status, response.body])
  }
  totals.requests += requests.length
  totals.wrong += wrong.length
  return wrong
}

/** Inserts a use of the key, because the server writes uses only once a minute. */
async function addKeyUse(accountId: string, key: string): Promise<void> {
  const use = { field: 'User.devices', permission: 'DEVICE_READ', uses: 1, rejected: 0, last_used: null }
  await app.db
    .insertInto('key_use')
    .values({ account_id: accountId, key, day: new Date(), ...use })
    .execute()
}

const isAllowed = ({ status, body }: ApiResponse, { type }: FieldRequest): string | undefined => {
  if (status !== 200 || body.errors !== undefined) return 'rejected'
  return type === undefined || JSON.stringify(body).includes(reached(type)) ? undefined : 'not reached'
}

const isRejectedFor =
  (reason: string) =>
  ({ status, body }: ApiResponse, { field }: FieldRequest): string | undefined => {
    if (reason === 'missing' && publicFields.has(field))
      return status === 200 && body.errors === undefined ? undefined : 'not public'
    const { code, reason: actualReason } = body.errors?.[0]?.extensions ?? {}
    const isRight = status === 401 && code === 'UNAUTHENTICATED' && actualReason === reason && body.data === undefined
    return isRight ? undefined : `not rejected as ${reason}`
  }

const isReadOnly = (response: ApiResponse, request: FieldRequest, document: string): string | undefined => {
  if (!isMutation(document)) return isAllowed(response, request)
  const { data, errors } = response.body
  return data === null && errors?.[0]?.extensions?.code === 'FORBIDDEN' ? undefined : 'not forbidden'
}

/**
 * Returns a problem if the status is not 200. Also returns a problem if the response contains a string of the victim
 * that is neither a cursor nor in the request.
 */
const isUnrelated = ({ status, body }: ApiResponse, _request: FieldRequest, document: string): string | undefined => {
  const { deviceCursor: _device, eventCursor: _event, deliveryCursor: _delivery, ...strings } = victim
  const responseText = JSON.stringify(body)
  const shown = [...Object.values(strings), email].filter(
    (text) => responseText.includes(text) && !document.includes(text),
  )
  return status === 200 && shown.length === 0 ? undefined : `shows ${shown}`
}

describe('the queries of this test', () => {
  it('cover exactly the types of the schema', () => {
    const types = objectTypes(schema).map(({ name }) => name)
    expect(Object.keys(typeQueries).sort()).toEqual(types.sort())
    expect(Object.values(schema.getTypeMap()).filter(isAbstractType)).toEqual([])
  })
})

describe('every field of the API, with an invalid caller', () => {
  const callers: (keyof typeof rejected)[] = [
    'a disabled key',
    'an expired key',
    'a deleted key',
    'a device with its secret',
    'a session from another origin',
    'a session from another site',
    "a session without the console's header",
    'a caller without credentials',
  ]

  it('is tested with every kind of invalid caller', () => {
    expect(Object.keys(rejected).sort()).toEqual(callers.sort())
  })

  it.each(callers)('rejects %s', longTimeout, async (name) => {
    const { reason, ...caller } = rejected[name]!
    expect(await findWrongResponses(fieldRequests, caller, victim, isRejectedFor(reason))).toEqual([])
    expect(await rowsOf(victim)).toEqual(untouched)
  })
})

it('accepts a read-only key in every query, and rejects it in every mutation', longTimeout, async () => {
  expect(await findWrongResponses(typeRequests, reader, victim, isReadOnly)).toEqual([])
  expect(await rowsOf(victim)).toEqual(untouched)
})

it(
  "neither shows nor changes a user's data in another user's requests that name the user's objects",
  longTimeout,
  async () => {
    const other = await app.createUser()
    expect(await findWrongResponses(typeRequests, withKey(other), victim, isUnrelated)).toEqual([])
    expect(await rowsOf(victim)).toEqual(untouched)
  },
)

describe('every field of the API, with a valid caller', () => {
  /** Removals run last, in reverse order: a service before its device, and the signing key at the end. */
  const removes = ({ field }: FieldRequest): boolean => /^Mutation\.(delete|remove)/.test(field)
  const removing = typeRequests.filter(removes).reverse()
  /** Only a signed-in person can run these mutations. Other tests cover their effects in a session. */
  const needsSession = ({ field }: FieldRequest): boolean => mutationCalls[field]?.needsSession === true
  const others = typeRequests.filter((request) => !removes(request) && !needsSession(request))

  it.each([
    ['its owner, with a key', async (user: TestUser) => withKey(user)],
    ['its owner, with a session', (user: TestUser) => withSession(app, user)],
  ])('accepts %s', longTimeout, async (_name, callerOf) => {
    const user = await app.createUser()
    const own = await createOwnedObjects(user, receiver)
    const spare = await createOwnedObjects(user, receiver)
    await samplePresence(app.db, new Date())
    const caller = await callerOf(user)
    const { key: accessKey } = await newKey(user)
    await addKeyUse(user.accountId, accessKey)
    expect(await findWrongResponses(others, caller, { ...own, accessKey }, isAllowed)).toEqual([])
    for (const request of removing) {
      // Two fields delete devices, so one of them needs a second device.
      const mine = request.field === 'Mutation.deleteDevice' ? spare : own
      expect(await findWrongResponses([request], caller, mine, isAllowed)).toEqual([])
    }
  })

  it('accepts sessions but rejects keys if the field requires a signed-in person', async () => {
    const requests = typeRequests.filter(needsSession)
    expect(requests.map(({ field }) => field).sort()).toEqual([
      'Mutation.acceptInvitation',
      'Mutation.leaveAccount',
      'Mutation.transferDevices',
    ])
    const user = await app.createUser()
    const isForbidden = ({ body }: ApiResponse): string | undefined =>
      body.data === null && body.errors?.[0]?.extensions?.code === 'FORBIDDEN' ? undefined : 'not forbidden'
    const isReached = ({ body }: ApiResponse): string | undefined =>
      ['NOT_FOUND', 'CONFLICT'].includes(body.errors?.[0]?.extensions?.code) ? undefined : 'rejected'
    expect(await findWrongResponses(requests, withKey(user), victim, isForbidden)).toEqual([])
    // The requests fail, because no invitation has this token, the last owner cannot leave, and the devices belong to
    // another user.
    expect(await findWrongResponses(requests, await withSession(app, user), victim, isReached)).toEqual([])
  })
})

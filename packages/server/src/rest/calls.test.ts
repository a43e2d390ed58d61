import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rowsWithoutUsage } from '../../test/access/account-rows.ts'
import {
  allowLocalWebhooks,
  createOwnedObjects,
  type OwnedObjects,
  startFailingReceiver,
} from '../../test/access/owned-objects.ts'
import { queryValues, restCallFor } from '../../test/api/rest-calls.ts'
import { createResponseCheck } from '../../test/api/rest-responses.ts'
import { type RestClient, restClient, send } from '../../test/clients/rest.ts'
import { startTestApp, type TestApp, type TestUser } from '../../test/harness/app.ts'
import type { Receiver } from '../../test/harness/webhook-receiver.ts'
import { buildSchema } from '../schema.ts'
import { readOperation } from './operation.ts'
import { type Route, routeName, statusOf } from './route.ts'
import { routes } from './routes.ts'

const schema = buildSchema()
const table = routes.map((route) => [routeName(route), route] as const)
const changes = table.filter(([, { method }]) => method !== 'GET')
/** The bodies of the other routes have no fixed members. */
const withFixedMembers = changes.filter(([, { body }]) => body === undefined)
const signed = table.filter(([, { isPublic }]) => !isPublic)
const onIds = table.filter(([, { path }]) => /\{(id|key|personId)\}/.test(path) || path === '/devices/delete')
/** Only a signed-in person can use these routes, and the REST API accepts no sessions. */
const needSession = table.filter(([name]) =>
  ['POST /members/leave', 'POST /invitations/accept', 'POST /devices/transfer'].includes(name),
)

let app: TestApp
let receiver: Receiver
let checkResponse: (route: Route, status: number, body: unknown) => void
let victim: OwnedObjects
let untouched: Record<string, unknown[]>
let owner: RestClient
let intruder: RestClient
let reader: RestClient
beforeAll(async () => {
  app = await startTestApp({ env: allowLocalWebhooks })
  receiver = await startFailingReceiver()
  checkResponse = createResponseCheck((await send(`${app.url}/rest/v1/openapi.json`)).body)
  victim = await createAllObjects(app.owner)
  owner = restClient(app.url, app.owner)
  intruder = restClient(app.url, await app.createUser())
  const { key, secret } = (await owner('POST', '/access-keys', { body: { readOnly: true } })).body
  reader = restClient(app.url, { keyId: key, secret })
  untouched = await rowsOf(victim.userId)
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

const rowsOf = (accountId: string): Promise<Record<string, unknown[]>> => rowsWithoutUsage(app.db, accountId)

const assertUntouched = async (): Promise<void> => expect(await rowsOf(victim.userId)).toEqual(untouched)

async function createAllObjects(user: TestUser): Promise<OwnedObjects> {
  const own = await createOwnedObjects(user, receiver)
  const path = `/services/${own.service}/attributes/${own.attribute}`
  await restClient(app.url, user)('PUT', path, { body: { value: `${own.mark}-value` } })
  return own
}

async function newcomer(): Promise<{ own: OwnedObjects; rest: RestClient }> {
  const user = await app.createUser()
  return { own: await createAllObjects(user), rest: restClient(app.url, user) }
}

it.each(table.filter((each) => !needSession.includes(each)))(
  'succeeds, with a response that matches the OpenAPI description: %s',
  async (_name, route) => {
    const { own, rest } = route.method === 'GET' ? { own: victim, rest: owner } : await newcomer()
    const { path, body } = restCallFor(route, own)
    const response = await rest(route.method, path, { body })
    expect({ status: response.status, message: response.message }).toEqual({
      status: statusOf(route),
      message: undefined,
    })
    checkResponse(route, response.status, response.body)
    if (route.location === undefined) return expect(response.headers.get('location')).toBeNull()
    const location = response.headers.get('location')?.replace('/rest/v1', '') ?? ''
    expect((await rest('GET', location)).status).toBe(200)
  },
)

it.each(needSession)('rejects an access key: %s', async (_name, route) => {
  const { path, body } = restCallFor(route, victim)
  const response = await owner(route.method, path, { body })
  expect(response).toMatchObject({ status: 403, code: 'FORBIDDEN', message: expect.stringContaining('signed-in') })
  checkResponse(route, 403, response.body)
  await assertUntouched()
})

it.each(withFixedMembers)('has test data for every fixed body member: %s', (_name, route) => {
  const { parameters } = readOperation(route, schema)
  const { body = {} } = restCallFor(route, victim)
  expect(Object.keys(body).sort()).toEqual(parameters.map(({ name }) => name).sort())
})

const subjects = ['key', 'personId', 'roleId', 'access']

describe.each(table.filter(([, { method }]) => method === 'GET'))('%s', (_name, route) => {
  const { parameters } = readOperation(route, schema)
  it.each(parameters.map(({ name }) => name))('accepts %s', async (name) => {
    const { path } = restCallFor(route, victim)
    const [base, given = ''] = path.split('?')
    const isGiven = new URLSearchParams(given).has(name)
    const query = isGiven ? given : `${name}=${queryValues[name]?.(victim, route.path)}`
    // A simulation accepts only one of the parameters in `subjects`.
    const others = subjects.includes(name) ? '' : given
    const rest = [query, others].filter((each, index, list) => each !== '' && list.indexOf(each) === index)
    const response = await owner('GET', `${base}?${rest.join('&')}`)
    expect({ status: response.status, message: response.message }).toEqual({ status: 200, message: undefined })
    checkResponse(route, 200, response.body)
  })

  it('rejects unknown parameters', async () => {
    const { path } = restCallFor(route, victim)
    const response = await owner('GET', `${path}${path.includes('?') ? '&' : '?'}nope=1`)
    expect(response).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', message: expect.stringContaining('"nope"') })
  })
})

describe.each(changes)('%s', (_name, route) => {
  it('rejects a query string', async () => {
    const { path, body } = restCallFor(route, victim)
    const response = await owner(route.method, `${path}?force=true`, { body })
    expect(response).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', message: expect.stringContaining('"force"') })
    await assertUntouched()
  })

  it('is rejected for a read-only key and changes nothing', async () => {
    const { path, body } = restCallFor(route, victim)
    expect(await reader(route.method, path, { body })).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    await assertUntouched()
  })
})

it.each(withFixedMembers)('rejects unknown body members: %s', async (_name, route) => {
  const { path, body } = restCallFor(route, victim)
  const response = await owner(route.method, path, { body: { ...body, nope: 1 } })
  expect(response).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', message: expect.stringContaining('"nope"') })
  await assertUntouched()
})

it.each(onIds)("does not find another user's objects: %s", async (_name, route) => {
  const { path, body } = restCallFor(route, victim)
  const response = await intruder(route.method, path, { body })
  expect(response).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  checkResponse(route, 404, response.body)
  await assertUntouched()
})

it.each(table.filter((each) => !onIds.includes(each)))(
  "neither returns nor changes another user's data: %s",
  async (_name, route) => {
    const stranger = restClient(app.url, await app.createUser())
    const { path, body } = restCallFor(route, victim)
    const { text } = await stranger(route.method, path, { body })
    // Search only for these strings, because the response may repeat input, such as an attribute name in an error or a
    // webhook URL.
    expect(text).not.toContain(`${victim.mark}-value`)
    expect(text).not.toContain(app.owner.email)
    expect(text).not.toContain(victim.userId)
    await assertUntouched()
  },
)

it.each(signed)('requires a signature: %s', async (_name, route) => {
  const { path, body } = restCallFor(route, victim)
  const headers = { 'content-type': 'application/json' }
  const response = await send(`${app.url}/rest/v1${path}`, {
    method: route.method,
    ...(body && { headers, body: JSON.stringify(body) }),
  })
  expect(response).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
  expect(response.headers.get('www-authenticate')).toBe('Signature')
  checkResponse(route, 401, response.body)
  await assertUntouched()
})

it('accepts GET /version without a signature', async () => {
  expect((await send(`${app.url}/rest/v1/version`)).body).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
})

import { signRequest } from '@muster/http-signature'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness/app.ts'

const SORTED = '{ login { devices(sort: "no.index", size: 1) { items { id } } } }'
const WHO = '{ login { email } }'

const blockDevices = (app: TestApp): Promise<() => Promise<void>> => block(app, 'device')

async function block(app: TestApp, table: 'device' | 'event'): Promise<() => Promise<void>> {
  const { connection } = app
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  let isHeld = true
  const release = async (): Promise<void> => {
    if (isHeld) await client.end()
    isHeld = false
  }
  onTestFinished(release)
  return release
}

/**
 * Starts a server without time limits for statements, unless `env` sets limits, so that blocked statements keep running
 * even on a slow machine. Statements may wait for a connection for as long as on a real server.
 */
async function start(env: Record<string, string> = {}): Promise<TestApp> {
  const limits = { MUSTER_QUERY_SECONDS: '0', MUSTER_STATEMENT_TIMEOUT: '0' }
  const app = await startTestApp({ env: { ...limits, ...env }, statementWaitMs: 5_000 })
  onTestFinished(() => app.close())
  return app
}

/** Fails before the test times out, so that the test releases its lock. The error shows the statements in flight. */
const waitForStatements = (app: TestApp, expected: Partial<Record<'quick' | 'walking', number>>): Promise<void> =>
  expect.poll(() => inFlight(app)).toMatchObject(expected)

/**
 * Repeats a query until it succeeds. On a slow machine, even a statement that nothing blocks may exceed a short time
 * limit.
 */
const waitForSuccess = (app: TestApp, query: string): Promise<void> =>
  expect.poll(async () => (await app.owner.query(query)).errors).toBeUndefined()

/**
 * Repeats a query until `stop` is called, so that the load does not depend on the machine's speed. `done` then resolves
 * to the codes of the errors.
 */
function keepSending(app: TestApp, query: string): { stop: () => void; done: Promise<string[]> } {
  const codes: string[] = []
  let isStopped = false
  const run = async (): Promise<string[]> => {
    while (!isStopped) {
      const { errors = [] } = await app.owner.query(query)
      codes.push(...errors.map(({ extensions }) => extensions.code))
    }
    return codes
  }
  const stop = (): void => {
    isStopped = true
  }
  onTestFinished(stop)
  return { stop, done: run() }
}

function send({ url, owner }: TestApp, query: string, signal: AbortSignal): Promise<Response> {
  const request = { method: 'POST', url: `${url}/graphql/v1`, body: JSON.stringify({ query }) }
  const headers = { 'content-type': 'application/json' }
  const key = { algorithm: 'hmac-sha256' as const, secret: Buffer.from(owner.secret, 'base64') }
  const signature = signRequest({
    ...request,
    headers,
    keyId: owner.keyId,
    key,
    created: Math.floor(Date.now() / 1_000),
  })
  return fetch(request.url, { ...request, headers: { ...headers, ...signature }, signal })
}

async function metric({ url }: TestApp, name: string): Promise<number> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n')
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length) ?? 0)
}

async function inFlight(app: TestApp): Promise<Record<'quick' | 'walking', number>> {
  const of = (lane: string): Promise<number> => metric(app, `muster_user_statements{lane="${lane}"}`)
  return { quick: await of('quick'), walking: await of('walking') }
}

it('responds to another user and to /readyz while one user overloads the database', async () => {
  const app = await start()
  const other = await app.createUser()
  const release = await blockDevices(app)
  const aliases = Array.from({ length: 15 }, (_, index) => `a${index}: devices(size: 1) { items { id } }`).join(' ')
  const walking = Array.from({ length: 40 }, () => keepSending(app, SORTED))
  // Wait until the statements without an index are in flight. Otherwise, the quick statements, which are blocked, could
  // occupy all of the user's connections first.
  await waitForStatements(app, { walking: 2 })
  const quick = Array.from({ length: 10 }, () => keepSending(app, `{ login { ${aliases} } }`))
  const attack = [...walking, ...quick]
  await waitForStatements(app, { walking: 2, quick: 5 })
  for (let times = 0; times < 20; times++) {
    expect((await other.data(WHO)).login.email).toBe(other.email)
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200)
  }
  for (const { stop } of attack) stop()
  await release()
  for (const codes of await Promise.all(attack.map(({ done }) => done)))
    expect(codes.filter((code) => code !== 'RATE_LIMITED')).toEqual([])
  expect(await inFlight(app)).toEqual({ quick: 0, walking: 0 })
})

it.each([
  ['a list in an order without an index', SORTED],
  ['a filter without an index', '{ login { devices(where: "NOT name:q") { items { id } } } }'],
  ['facets', '{ login { facets(by: "name", where: "NOT name:q") { total } } }'],
  ['services by a filter without an index', '{ login { services(where: "host:*") { items { id } } } }'],
])(
  'counts %s toward the limit of 2 such queries per user, and rejects a third with RATE_LIMITED',
  async (_what, query) => {
    const app = await start()
    const release = await blockDevices(app)
    const running = [app.owner.query(query), app.owner.query(SORTED)]
    await waitForStatements(app, { walking: 2 })
    const { errors } = await app.owner.query(SORTED)
    expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED', retryAfter: 1 } }])
    expect(errors![0]!.message).toMatch(/an account may run at most 2 at a time/)
    await release()
    for (const { errors: others } of await Promise.all(running)) expect(others).toBeUndefined()
  },
)

it('cancels a query without a suitable index at the time limit, and names the sort key', async () => {
  const app = await start({ MUSTER_QUERY_SECONDS: '1' })
  const release = await blockDevices(app)
  const { errors } = await app.owner.query(SORTED)
  expect(errors).toMatchObject([{ extensions: { code: 'LIMIT_EXCEEDED', limit: 1 } }])
  expect(errors![0]!.message).toMatch(
    /^reading from the database took longer than 1 second: sort key "no\.index" has no index/,
  )
  await release()
  await waitForSuccess(app, SORTED)
})

it('cancels a statement with a filter at MUSTER_FILTER_SECONDS, and names the terms without an index', async () => {
  const app = await start({ MUSTER_FILTER_SECONDS: '1' })
  const release = await blockDevices(app)
  const filtered = '{ login { devices(where: "platform = x OR attributes.note:broken") { items { id } } } }'
  const { errors } = await app.owner.query(filtered)
  expect(errors).toMatchObject([{ extensions: { code: 'LIMIT_EXCEEDED', limit: 1 } }])
  expect(errors![0]!.message).toMatch(/no index supports "attributes.note:broken";.*\$svc\.categoryA/)
  const counted = await app.owner.query('{ login { facets(by: "name", where: "NOT name:q") { total } } }')
  expect(counted.errors![0]!.message).toMatch(/no index supports "NOT name:q"|"name:q"/)
  await release()
  await waitForSuccess(app, filtered)
})

it('cancels a statement with a filter at MUSTER_FILTER_SECONDS in a mutation, too', async () => {
  const app = await start({ MUSTER_FILTER_SECONDS: '1' })
  const operations = 'operations: [{ setAttributes: { attributes: { x: "y" } } }]'
  const create = `mutation { createBulk(target: { where: "NOT name:q" }, ${operations}) { state } }`
  const release = await blockDevices(app)
  // After the limit, the bulk worker finds the devices in steps.
  expect(await app.owner.data(create)).toEqual({ createBulk: { state: 'PREVIEWING' } })
  await release()
})

it('cancels a list of attribute changes at MUSTER_FILTER_SECONDS, and names the arguments', async () => {
  const app = await start({ MUSTER_FILTER_SECONDS: '1' })
  const changes = (args: string): string => `{ login { attributeHistory(${args}) { items { name } } } }`
  // Make the server read the number of events, which it does once a minute, before the test blocks the event table.
  await waitForSuccess(app, changes('name: "plan"'))
  const release = await block(app, 'event')
  const { errors } = await app.owner.query(changes('name: "plan", maxDate: "2026-01-01T00:00:00Z"'))
  expect(errors).toMatchObject([{ extensions: { code: 'LIMIT_EXCEEDED', limit: 1 } }])
  expect(errors![0]!.message).toMatch(/name: no index finds changes by name; maxDate: newer changes of the same month/)
  await release()
})

it('cancels query statements at MUSTER_QUERY_SECONDS, but lets a mutation wait', async () => {
  const app = await start({ MUSTER_QUERY_SECONDS: '1' })
  const register = 'mutation { registerDevice(name: "device") { device { id } } }'
  const { id } = (await app.owner.data(register)).registerDevice.device
  const queries = [
    '{ login { devices(size: 1) { items { id } } } }',
    `{ login { device(id: "${id}") { name } } }`,
    '{ login { devices(name: "dev", size: 1) { items { services { id } } } } }',
  ]
  const release = await blockDevices(app)
  const registered = app.owner.query(register)
  for (const { errors } of await Promise.all(queries.map((query) => app.owner.query(query)))) {
    expect(errors).toMatchObject([
      { path: ['login', expect.any(String)], extensions: { code: 'LIMIT_EXCEEDED', limit: 1 } },
    ])
    expect(errors![0]!.message).toMatch(/^reading from the database took longer than 1 second[;:]/)
  }
  await release()
  expect((await registered).errors).toBeUndefined()
})

it('lets a download wait for a connection without a time limit', async () => {
  const app = await start()
  const { eventsUrl } = (await app.owner.data('{ login { eventsUrl } }')).login
  const release = await blockDevices(app)
  const running = [app.owner.query(SORTED), app.owner.query(SORTED)]
  await waitForStatements(app, { walking: 2 })
  const download = fetch(eventsUrl).then((response) => response.text())
  await expect.poll(() => metric(app, 'muster_user_statements_rejected_total{reason="wait"}')).toBeGreaterThan(0)
  await release()
  expect(await download).toMatch(/^id,timestamp,type,.*\n\d+,/)
  for (const { errors } of await Promise.all(running)) expect(errors).toBeUndefined()
})

it('releases the database connections of disconnected clients', async () => {
  const app = await start()
  const release = await blockDevices(app)
  const controller = new AbortController()
  // The server rejects requests that wait too long for a connection, so each client retries until it disconnects.
  const sendUntilLeft = async (): Promise<void> => {
    while (!controller.signal.aborted) await send(app, SORTED, controller.signal).catch(() => 'left')
  }
  const clients = Array.from({ length: 20 }, sendUntilLeft)
  await waitForStatements(app, { walking: 2 })
  controller.abort()
  await Promise.all(clients)
  await release()
  await waitForStatements(app, { walking: 0 })
  expect((await app.owner.query(SORTED)).errors).toBeUndefined()
})

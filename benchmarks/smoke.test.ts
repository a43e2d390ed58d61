import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createPool } from '../packages/server/src/db/pool/create-pool.ts'
import { atDatabase } from '../packages/server/test/global-setup.ts'
import { sharedTestApp } from '../packages/server/test/harness/app.ts'
import { buildBaseline } from './baseline/same-sql-server.ts'
import { createFleet } from './environment/fleet.ts'
import { type Environment, runOperation } from './environment/run-operation.ts'
import { nodeHttpLoad } from './load/node-http-load.ts'
import { readExplanations } from './report/explanations.ts'
import { toMarkdown } from './report/report.ts'
import { type AccessKey, send, toRequest } from './run/operation.ts'
import { readOptions } from './run/options.ts'
import { assertSameResponses, checkResponses, measureRounds, type Workload } from './run/rounds.ts'
import { startWriteCheck } from './scenarios/check-writes.ts'
import { consoleWorkloads } from './scenarios/console-page-of-50.ts'
import { pageWorkloads } from './scenarios/page-of-1000-devices.ts'
import type { Figure, Outcome } from './scenarios/scenario.ts'
import { scenarios } from './scenarios/scenarios.ts'
import { ownDevice, writers } from './scenarios/set-attribute.ts'
import { outcomeOf } from './scenarios/throughput-scenario.ts'

const app = sharedTestApp()
let pool: pg.Pool
let baseline: Server
let environment: Environment

beforeAll(async () => {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(app.db)
  const connection = atDatabase(inject('testDatabase').connection, rows[0]!.name)
  pool = createPool({ connection, size: 4, statementTimeout: 0 })
  const { keyId, secret } = app.owner
  const accessKey: AccessKey = { keyId, key: { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') } }
  const sendToServer = (operation: Parameters<typeof toRequest>[1]) =>
    send(app.url, toRequest(app.url, operation, accessKey))
  const fleet = await createFleet(pool, { devices: 64, services: 4, send: sendToServer })

  baseline = buildBaseline({ pool, accountId: fleet.accountId }).listen(0, '127.0.0.1')
  await new Promise((resolve) => baseline.once('listening', resolve))
  const baselineUrl = `http://127.0.0.1:${(baseline.address() as AddressInfo).port}`
  const processOf = async (system: string) => ({
    url: system === 'server' ? app.url : baselineUrl,
    cpuTime: async () => undefined,
  })
  environment = { fleet, pool, accessKey, processOf }
})

afterAll(async () => {
  baseline?.closeAllConnections()
  baseline?.close()
  await pool?.end()
})

const withoutPeers = (workloads: readonly Workload[]): Workload[] =>
  workloads.filter(({ system }) => system === 'server' || system === 'baseline')

const measure = (workloads: readonly Workload[], connections: number) =>
  measureRounds({
    environment,
    load: nodeHttpLoad,
    rounds: 1,
    until: { requests: 2 * connections },
    workloads,
    connections,
    progress: () => {},
  })

test('reports one round of the page scenario', async () => {
  const workloads = withoutPeers(pageWorkloads)
  await checkResponses(environment, workloads)
  const runs = await measure(workloads, 2)
  expect([...runs.values()].flat().map(({ succeeded, failed }) => ({ succeeded, failed }))).toEqual([
    { succeeded: 4, failed: 0 },
    { succeeded: 4, failed: 0 },
  ])
  const outcome = outcomeOf(runs, [{ name: 'against the baseline', of: 'Muster', with: 'baseline', min: 0 }])
  expect(outcome.figures.map(({ spread }) => spread.median > 0)).toEqual([true])
  const report = reportOf(outcome)
  expect(report).toMatch(/^\| Page +\| against the baseline +\| \d+\.\d\d +\|.*\| ≥ 0 +\| yes +\|$/m)
  expect(report).toMatch(/^\| Page +\| Muster +\| \d/m)
})

const reportOf = (outcome: Outcome): string =>
  toMarkdown({
    machine: [],
    method: '',
    missing: [],
    outcomes: [{ name: 'page', title: 'Page', outcome }],
    explanations: new Map([['page', 'An explanation.']]),
  })

test('explains only missed targets, and contains explanations only of existing scenarios', async () => {
  const figure = (value: number): Figure => ({
    name: 'against the baseline',
    spread: { median: value, min: value, max: value },
    target: { limit: 'min', value: 0.9 },
  })
  expect(reportOf({ rates: [], figures: [figure(0.9), figure(0.8)] })).toContain('### Page\n\nAn explanation.\n')
  expect(reportOf({ rates: [], figures: [figure(0.9)] })).not.toContain('An explanation.')
  const names = scenarios.map(({ name }) => name)
  expect(
    [...(await readExplanations(new URL('shortfalls.md', import.meta.url))).keys()].filter(
      (name) => !names.includes(name),
    ),
  ).toEqual([])
})

test.each([
  ['--rounds', '0.5', 'a whole number of at least 1'],
  ['--rounds', '0', 'a whole number of at least 1'],
  ['--seconds', '0', 'a number above 0'],
  ['--seconds', 'Infinity', 'a number above 0'],
  ['--devices', '999', 'a whole number of at least 1000'],
  ['--devices', '1000.5', 'a whole number of at least 1000'],
  ['--devices', 'many', 'a whole number of at least 1000'],
])('rejects %s %s', (name, value, expected) => {
  expect(() => readOptions([name, value])).toThrow(`${name} must be ${expected}, not ${value}.`)
})

test('accepts fractions of a second, and has defaults for rounds and devices', () => {
  expect(readOptions(['--seconds', '0.5'])).toMatchObject({ rounds: 5, seconds: 0.5, devices: 100_000 })
})

test('returns the same console page as the baseline', async () => {
  await checkResponses(environment, withoutPeers(consoleWorkloads))
})

test('detects a response that differs from that of another system', async () => {
  const [server, other] = withoutPeers(consoleWorkloads)
  const smaller = { ...other!, operations: () => [{ path: '/devices', body: { size: 49 } }] }
  await expect(checkResponses(environment, [server!, smaller])).rejects.toThrow(
    'The response of baseline differs from that of Muster',
  )
})

test('distinguishes an empty list from an empty object', () => {
  const responses = new Map([
    ['Muster', { items: [] }],
    ['baseline', { items: {} }],
  ])
  expect(() => assertSameResponses(responses)).toThrow('items is {}, not []')
})

test('writes an event for every change of a round', async () => {
  const runs = await measure(withoutPeers(writers(ownDevice)), 4)
  expect([...runs.values()].flat().map(({ succeeded }) => succeeded)).toEqual([8, 8])
})

test('detects a change without an event, and a lost update', async () => {
  const result = { succeeded: 1, failed: 0, seconds: 1, latency: { p50: 1, p99: 1 }, bytes: 1 }
  const missing = await startWriteCheck(environment)
  await expect(missing(result)).rejects.toThrow('The event log contains only 0 of the 1 acknowledged changes')

  const lost = await startWriteCheck(environment)
  const [writer] = writers(ownDevice)
  const [operation] = writer!.operations(environment.fleet, { connection: 0, run: -1 })
  await runOperation(environment, 'server', operation!)
  await pool.query(`update device set attributes = attributes - 'load' where id = $1`, [environment.fleet.deviceIds[0]])
  await expect(lost(result)).rejects.toThrow('the value in their newest event: 1')
})

/** After a change to the server's statements, `npx vitest run benchmarks -u` updates the baseline's SQL files. */
test('runs the same SQL in the baseline as in the server for documents that are not compiled', async () => {
  const page = await statementsOf(pageWorkloads)
  await expect(page.find((text) => text.includes('from device d'))).toMatchFileSnapshot(
    'baseline/page-with-attributes.sql',
  )
  await expect(page.find((text) => text.includes('from service'))).toMatchFileSnapshot('baseline/services.sql')
  const small = await statementsOf(consoleWorkloads)
  await expect(small.find((text) => text.includes('from device d'))).toMatchFileSnapshot('baseline/page.sql')
  const write = await statementsOf(writers(ownDevice))
  await expect(write.find((text) => text.includes('insert into event'))).toMatchFileSnapshot(
    'baseline/set-attribute.sql',
  )
})

/**
 * Returns the statements that the server sends for the first workload. Adds a comment to the document, so that the
 * server does not use a compiled query, which reads services with a different statement.
 */
async function statementsOf([server]: readonly Workload[]): Promise<string[]> {
  const sent: string[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, config: unknown, ...rest: unknown[]) {
    sent.push(typeof config === 'string' ? config : (config as pg.QueryConfig).text)
    return Reflect.apply(query, this, [config, ...rest])
  } as typeof query
  try {
    const [operation] = server!.operations(environment.fleet, { connection: 0, run: -2 })
    const { path, body } = operation as { path: string; body: { query: string } }
    await runOperation(environment, 'server', { path, body: { ...body, query: `${body.query} # ${randomUUID()}` } })
  } finally {
    pg.Client.prototype.query = query
  }
  return sent
}

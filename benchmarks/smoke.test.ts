import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createPool } from '../packages/server/src/db/database.ts'
import { startTestApp, type TestApp } from '../packages/server/test/app.ts'
import { atDatabase } from '../packages/server/test/global-setup.ts'
import { buildFloor } from './baseline/baseline.ts'
import { readExplanations } from './report/explanations.ts'
import { makeFleet } from './environment/fleet.ts'
import { ask, type Ground } from './environment/environment.ts'
import { type AccessKey, send, toRequest } from './run/operation.ts'
import { plainLoad } from './load/node-http-load.ts'
import { toMarkdown } from './report/report.ts'
import { type Contender, checkAnswers, measureRounds } from './run/rounds.ts'
import { consoleContenders } from './scenarios/console-page.ts'
import { outcomeOf } from './scenarios/load-scenario.ts'
import { pageContenders } from './scenarios/page.ts'
import type { Figure, Outcome } from './scenarios/scenario.ts'
import { scenarios } from './scenarios/scenarios.ts'
import { onOwnDevice, writers } from './scenarios/set-attribute.ts'
import { startWatching } from './scenarios/check-writes.ts'

let app: TestApp
let pool: pg.Pool
let floor: Server
let ground: Ground

beforeAll(async () => {
  app = await startTestApp()
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(app.db)
  const connection = atDatabase(inject('testDatabase').connection, rows[0]!.name)
  pool = createPool({ connection, size: 4, statementTimeout: 0 })
  const { keyId, secret } = app.owner
  const accessKey: AccessKey = { keyId, key: { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') } }
  const askServer = (operation: Parameters<typeof toRequest>[1]) =>
    send(app.url, toRequest(app.url, operation, accessKey))
  const fleet = await makeFleet(pool, { devices: 64, services: 4, ask: askServer })

  floor = buildFloor({ pool, accountId: fleet.accountId }).listen(0, '127.0.0.1')
  await new Promise((resolve) => floor.once('listening', resolve))
  const floorUrl = `http://127.0.0.1:${(floor.address() as AddressInfo).port}`
  const program = async (contestant: string) => ({
    url: contestant === 'server' ? app.url : floorUrl,
    processorTime: async () => undefined,
  })
  ground = { fleet, pool, accessKey, program }
})

afterAll(async () => {
  floor?.closeAllConnections()
  floor?.close()
  await pool?.end()
  await app?.close()
})

/** Those that need no package of their own. */
const ourOwn = (contenders: readonly Contender[]): Contender[] =>
  contenders.filter(({ contestant }) => contestant === 'server' || contestant === 'floor')

const measure = (contenders: readonly Contender[], connections: number) =>
  measureRounds({
    ground,
    load: plainLoad,
    rounds: 1,
    until: { requests: 2 * connections },
    contenders,
    connections,
    progress: () => {},
  })

test('a round of the page gives a row of the report', async () => {
  const contenders = ourOwn(pageContenders)
  await checkAnswers(ground, contenders)
  const runs = await measure(contenders, 2)
  expect([...runs.values()].flat().map(({ answered, failed }) => ({ answered, failed }))).toEqual([
    { answered: 4, failed: 0 },
    { answered: 4, failed: 0 },
  ])
  const outcome = outcomeOf(runs, [{ name: 'against the floor', of: 'Muster', with: 'floor', least: 0 }])
  expect(outcome.figures.map(({ spread }) => spread.median > 0)).toEqual([true])
  const report = reportOf(outcome)
  expect(report).toMatch(/^\| Page +\| against the floor +\| \d+\.\d\d +\|.*\| ≥ 0 +\| yes +\|$/m)
  expect(report).toMatch(/^\| Page +\| Muster +\| \d/m)
})

const reportOf = (outcome: Outcome): string =>
  toMarkdown({
    machine: [],
    method: '',
    missing: [],
    outcomes: [{ name: 'page', title: 'Page', outcome }],
    explanations: new Map([['page', 'It is printed.']]),
  })

test('where a target is missed the report says why, and only there', async () => {
  const figure = (value: number): Figure => ({
    name: 'against the floor',
    spread: { median: value, least: value, most: value },
    target: { bound: 'least', value: 0.9 },
  })
  expect(reportOf({ rates: [], figures: [figure(0.9), figure(0.8)] })).toContain('### Page\n\nIt is printed.\n')
  expect(reportOf({ rates: [], figures: [figure(0.9)] })).not.toContain('It is printed.')
  const names = scenarios.map(({ name }) => name)
  expect(
    [...(await readExplanations(new URL('shortfalls.md', import.meta.url))).keys()].filter(
      (name) => !names.includes(name),
    ),
  ).toEqual([])
})

test('server and floor answer the same for the console', async () => {
  await checkAnswers(ground, ourOwn(consoleContenders))
})

test('an answer that differs is found', async () => {
  const [server, other] = ourOwn(consoleContenders)
  const smaller = { ...other!, operations: () => [{ path: '/devices', body: { size: 49 } }] }
  await expect(checkAnswers(ground, [server!, smaller])).rejects.toThrow('floor does not answer what Muster answers')
})

test('every write of a round is a change with its event', async () => {
  const runs = await measure(ourOwn(writers(onOwnDevice)), 4)
  expect([...runs.values()].flat().map(({ answered }) => answered)).toEqual([8, 8])
})

test('a change without its event is found, and so is a lost value', async () => {
  const result = { answered: 1, failed: 0, seconds: 1, latency: { p50: 1, p99: 1 }, bytes: 1 }
  const missing = await startWatching(ground)
  await expect(missing(result)).rejects.toThrow('1 changes were acknowledged, but 0 have an event')

  const lost = await startWatching(ground)
  const [writer] = writers(onOwnDevice)
  const [operation] = writer!.operations(ground.fleet, { connection: 0, run: -1 })
  await ask(ground, 'server', operation!)
  await pool.query(`update device set attributes = attributes - 'load' where id = $1`, [ground.fleet.deviceIds[0]])
  await expect(lost(result)).rejects.toThrow('1 values are not those of their newest events')
})

/** `npx vitest run benchmarks -u` writes the server's statements for the floor to run. */
test('the floor runs the SQL that the server runs', async () => {
  const page = await statementsOf(pageContenders)
  await expect(page.find((text) => text.includes('row_number()'))).toMatchFileSnapshot('baseline/page-with-attributes.sql')
  await expect(page.find((text) => text.includes('from service'))).toMatchFileSnapshot('baseline/services.sql')
  const small = await statementsOf(consoleContenders)
  await expect(small.find((text) => text.includes('row_number()'))).toMatchFileSnapshot('baseline/page.sql')
  const write = await statementsOf(writers(onOwnDevice))
  await expect(write.find((text) => text.includes('insert into event'))).toMatchFileSnapshot('baseline/set-attribute.sql')
})

/** What the server sends to the database for the first operation of a scenario. */
async function statementsOf([server]: readonly Contender[]): Promise<string[]> {
  const sent: string[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, config: unknown, ...rest: unknown[]) {
    sent.push(typeof config === 'string' ? config : (config as pg.QueryConfig).text)
    return Reflect.apply(query, this, [config, ...rest])
  } as typeof query
  try {
    const [operation] = server!.operations(ground.fleet, { connection: 0, run: -2 })
    await ask(ground, 'server', operation!)
  } finally {
    pg.Client.prototype.query = query
  }
  return sent
}

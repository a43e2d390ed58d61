/**
 * `npm run test:upgrades -- [--devices N] [--kills N] [--from SCHEMA]` upgrades a database from each earlier schema in
 * the history. A server of the earlier release runs under load while servers of this release migrate the database. The
 * test interrupts each migration with up to `--kills` kills. With `--from`, it repeats the upgrade from SCHEMA until
 * `--kills` kills have interrupted the upgrade. SCHEMA is the name of the schema's last migration.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { wholeNumber } from '../../../../benchmarks/run/options.ts'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { administer } from '../global-setup.ts'
import { caseNames, readCase } from './case.ts'
import { copyWorkingTree, extractRelease, formerReleases, type Release } from './under-load/releases.ts'
import { type Environment, type Outcome, runScenario, type Scenario } from './under-load/scenario.ts'
import { stopAll } from './under-load/server.ts'

const MAX_WRITE_MS = 5_000
/** The number of rounds without a kill after which the test fails. A short migration can end before the kill. */
const MAX_ROUNDS_WITHOUT_KILL = 10
/**
 * Releases whose latest migration is earlier than this one prepare statements that return every column of a table.
 * After a migration adds a column, password changes and sign-ins fail on the connections that have prepared such a
 * statement. The failures end when these connections close.
 */
const FIRST_WITHOUT_STALE_STATEMENTS = '0036_invitation_email'
const STALE_STATEMENT_FAILURES = 60

const { values } = parseArgs({
  options: { devices: { type: 'string' }, kills: { type: 'string' }, from: { type: 'string' } },
})
const size = {
  devices: wholeNumber('--devices', values.devices ?? '100000', 1),
  kills: wholeNumber('--kills', values.kills ?? '5', 0),
}

const folder = await mkdtemp(join(tmpdir(), 'muster-upgrades-'))
const log = { info() {}, warn: console.warn, error: console.error }
const database = await startEmbedded({ dataFolder: join(folder, 'database'), log, onExit: console.error })
try {
  const { host, port, user } = database.connection
  await runAll({
    folder,
    administer: (statement) => administer(database.connection, statement),
    urlOf: (name) => `postgresql:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`,
  })
} finally {
  await stopAll()
  await database.stop()
  await rm(folder, { recursive: true, force: true })
}

async function runAll(environment: Environment): Promise<void> {
  const current = join(folder, 'here')
  await copyWorkingTree(current)
  const releases = await formerReleases()
  const { from } = values
  if (from !== undefined) {
    const release = releases.find(({ migrations }) => migrations.at(-1) === from)
    if (release === undefined) throw new Error(`the history contains no release whose last migration is ${from}`)
    await repeatUpgrade(environment, release, current)
    return
  }
  if (releases.length === 0) console.log('the history contains no earlier schema')
  for (const release of releases) await expectUpgrade(environment, release, { current, kills: size.kills })
  await expectSamples(environment, current)
}

/** Upgrades new databases until the given number of kills have interrupted a migration. */
async function repeatUpgrade(environment: Environment, release: Release, current: string): Promise<void> {
  let total = 0
  for (let round = 1; total < size.kills; round++) {
    const outcome = await expectUpgrade(environment, release, { current, kills: size.kills - total, round })
    total += killsOf(outcome)
    assert.ok(total > 0 || round < MAX_ROUNDS_WITHOUT_KILL, 'the migration was too short to be interrupted')
    console.log(`${total} of ${size.kills} kills\n`)
  }
}

async function expectUpgrade(
  environment: Environment,
  { commit, migrations }: Release,
  { current, kills, round = 1 }: { current: string; kills: number; round?: number },
): Promise<Outcome> {
  const before = join(folder, commit)
  if (round === 1) await extractRelease(commit, before)
  const name = `${migrations.at(-1)} to today${round === 1 ? '' : `, round ${round}`}`
  const hasStaleStatements = migrations.at(-1)! < FIRST_WITHOUT_STALE_STATEMENTS
  const failuresBefore = hasStaleStatements ? STALE_STATEMENT_FAILURES : 0
  return expectSuccess(environment, { ...size, kills, name, before, after: current, failuresBefore, check: checkCases })
}

async function expectSamples(environment: Environment, current: string): Promise<void> {
  const further = join(folder, 'further')
  await copyWorkingTree(further, new URL('migrations/', import.meta.url))
  await expectSuccess(environment, {
    ...size,
    name: 'one step of each kind',
    before: current,
    after: further,
    check: checkMarks,
  })

  const slow = join(folder, 'slow')
  await copyWorkingTree(slow, new URL('slow-migrations/', import.meta.url))
  const name = 'a lock held for 7 s, to be detected'
  const outcome = await runScenario(environment, {
    ...size,
    kills: 0,
    name,
    before: current,
    after: slow,
    check: async () => {},
  })
  printOutcome(name, outcome)
  assert.ok(
    longest(outcome) > MAX_WRITE_MS,
    `no write took more than ${MAX_WRITE_MS} ms, although a migration held a lock for 7 s`,
  )
}

async function expectSuccess(environment: Environment, scenario: Scenario): Promise<Outcome> {
  const outcome = await runScenario(environment, scenario)
  printOutcome(scenario.name, outcome)
  assert.deepEqual(outcome.unexpected, [])
  assert.ok(longest(outcome) <= MAX_WRITE_MS, `a write took ${longest(outcome)} ms, more than ${MAX_WRITE_MS} ms`)
  return outcome
}

function killsOf({ interruptions: { servers, sessions, crashes } }: Outcome): number {
  return servers + sessions + crashes
}

function longest({ results }: Outcome): number {
  return Math.max(...results.writes)
}

function printOutcome(name: string, outcome: Outcome): void {
  const { interruptions, seconds, longestBefore, results, unexpected } = outcome
  const { servers, sessions, crashes } = interruptions
  const sorted = results.writes.toSorted((one, other) => one - other)
  const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)]!)
  console.log(`${name}: ${size.devices} devices
  migrations interrupted     ${killsOf(outcome)}: ${servers} servers and ${sessions} sessions killed, PostgreSQL crashed ${crashes} times
  new server ready after     ${seconds.toFixed(1)} s
  writes                     ${results.writes.length}, median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms, longest ${at(1)} ms (${Math.round(longestBefore)} ms before)
  the longest write          until ${results.slowest.ended.toISOString()}: ${results.slowest.document}
  reads                      ${results.reads.length}
  requests that failed       ${unexpected.length}, and ${results.failures.length - unexpected.length} while PostgreSQL restarted
`)
  for (const { message } of unexpected.slice(0, 5)) console.log(`  ${message}`)
}

async function checkCases(db: Kysely<unknown>): Promise<void> {
  for (const name of await caseNames()) await (await readCase(name)).checkAlways?.(db)
}

async function checkMarks(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ wrong: number }>`
    select count(*)::int as wrong from device where mark is distinct from 'm-' || id`.execute(db)
  assert.deepEqual(rows, [{ wrong: 0 }])
}

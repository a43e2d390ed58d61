/**
 * `npm run test:upgrades -- [--devices N] [--kills N]`: servers of earlier releases serve under load while those of this one bring
 * the database to theirs, and are killed meanwhile.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { administer } from '../global-setup.ts'
import { formerReleases, placeRelease, placeWorkingTree } from './by-hand/releases.ts'
import { type Outcome, type Place, play, type Scenario } from './by-hand/scenario.ts'
import { stopAll } from './by-hand/server.ts'
import { caseNames, readCase } from './case.ts'

/** Nobody may wait longer for a write. */
const MOST_MS = 5_000

const { values } = parseArgs({ options: { devices: { type: 'string' }, kills: { type: 'string' } } })
const size = { devices: Number(values.devices ?? 100_000), kills: Number(values.kills ?? 5) }

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

async function runAll(place: Place): Promise<void> {
  const here = join(folder, 'here')
  await placeWorkingTree(here)
  const releases = await formerReleases()
  if (releases.length === 0) console.log('the history has no other schema than that of today')
  for (const { commit, migrations } of releases) {
    const before = join(folder, commit)
    const { hasOtherDependencies } = await placeRelease(commit, before)
    if (hasOtherDependencies) console.log(`${commit} names other dependencies; it runs on those of this checkout`)
    const name = `${migrations.at(-1)} to today`
    await expectGood(place, { ...size, name, before, after: here, check: checkCases })
  }

  const further = join(folder, 'further')
  await placeWorkingTree(further, new URL('migrations/', import.meta.url))
  await expectGood(place, { ...size, name: 'one step of each kind', before: here, after: further, check: checkMarks })

  const slow = join(folder, 'slow')
  await placeWorkingTree(slow, new URL('slow-migrations/', import.meta.url))
  const name = 'a lock held for 7 s, which must be found'
  const outcome = await play(place, { ...size, kills: 0, name, before: here, after: slow, check: async () => {} })
  tell(name, outcome)
  assert.ok(longest(outcome) > MOST_MS, 'a write waited too long, and that was not found')
}

async function expectGood(place: Place, scenario: Scenario): Promise<void> {
  const outcome = await play(place, scenario)
  tell(scenario.name, outcome)
  assert.deepEqual(outcome.done.failures, [])
  assert.ok(longest(outcome) <= MOST_MS, 'a write waited too long')
}

function longest({ done }: Outcome): number {
  return Math.max(...done.writes)
}

function tell(name: string, { kills, seconds, longestBefore, done }: Outcome): void {
  const sorted = done.writes.toSorted((one, other) => one - other)
  const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)]!)
  console.log(`${name}: ${size.devices} devices
  migrating servers killed   ${kills}
  until the new one served   ${seconds.toFixed(1)} s
  writes                     ${done.writes.length}, median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms, longest ${at(1)} ms (${Math.round(longestBefore)} ms before)
  the longest write          until ${done.slowest.ended.toISOString()}: ${done.slowest.document}
  reads                      ${done.reads.length}
  requests that failed       ${done.failures.length}
`)
  for (const failure of done.failures.slice(0, 5)) console.log(`  ${failure}`)
}

async function checkCases(db: Kysely<unknown>): Promise<void> {
  for (const name of await caseNames()) await (await readCase(name)).check(db)
}

async function checkMarks(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ wrong: number }>`
    select count(*)::int as wrong from device where mark is distinct from 'm-' || id`.execute(db)
  assert.deepEqual(rows, [{ wrong: 0 }])
}

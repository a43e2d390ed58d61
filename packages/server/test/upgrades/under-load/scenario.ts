import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { createDatabase } from '../../../src/db/database.ts'
import { createPool } from '../../../src/db/pool/create-pool.ts'
import { readCredentials } from '../../harness/server-process.ts'
import { unlimited } from '../../harness/unlimited.ts'
import { missingOnPartitions, schemaOf } from '../schema-of.ts'
import { addRows, assertAcknowledged, untouchedRows } from './data.ts'
import { assertSameResponses, openFormerClient } from './former-client.ts'
import { type Interruptions, interruptMigration } from './interruptions.ts'
import { type Failure, type LoadResults, startLoad } from './load.ts'
import { readyServer, runCommand } from './server.ts'

export interface Scenario {
  name: string
  /** The folders with the code of the previous and of the new release. */
  before: string
  after: string
  check(db: Kysely<unknown>): Promise<void>
  /** The number of times that each password change and sign-in may fail on the previous release. The default is 0. */
  failuresBefore?: number
  devices: number
  kills: number
}

export interface Outcome {
  interruptions: Interruptions
  /** The failed requests that did not overlap an outage of PostgreSQL. */
  unexpected: Failure[]
  /** Seconds from the new release's first start until its last server is ready. */
  seconds: number
  /** The duration of the longest write before the migration, in milliseconds. */
  longestBefore: number
  results: LoadResults
}

export interface Environment {
  folder: string
  administer(statement: string): Promise<void>
  urlOf(database: string): string
}

/** Migrates a database with servers of the new release while a server of the previous release handles requests. */
export async function runScenario(environment: Environment, scenario: Scenario): Promise<Outcome> {
  const { name, before, after } = scenario
  const env = await newInstallation(environment, name)
  const former = await readyServer(before, env)
  await runCommand(before, env, 'seed', '--users', '2', '--devices', String(scenario.devices / 2), '--services', '2')
  const { db, close } = openDatabase(env.DATABASE_URL!)
  try {
    await addRows(db)
    const untouched = await untouchedRows(db)
    const credentials = await readCredentials(env.MUSTER_DATA!)
    const client = await openFormerClient(credentials, former.url)
    const load = await startLoad(credentials, former.url)
    await sleep(2_000)

    const longestBefore = Math.max(...load.results.writes)
    const started = performance.now()
    const interruptions = await interruptMigration({ db, after, env, limit: scenario.kills })
    const server = await readyServer(after, env)
    const seconds = (performance.now() - started) / 1_000
    load.setUrls([former.url, server.url])
    await sleep(2_000)
    // The load continues, so that repeated requests to the previous release can use other pooled connections.
    await assertSameResponses(client, former.url, server.url, scenario.failuresBefore ?? 0)
    await load.stop()
    const { results } = load
    await former.stop('SIGTERM')

    await assertAcknowledged(credentials, server.url, results)
    assert.deepEqual(await untouchedRows(db, untouched), untouched)
    await scenario.check(db)
    assert.deepEqual(await schemaOf(db), await freshSchema(environment, scenario))
    assert.deepEqual(await missingOnPartitions(db), [])
    await server.stop('SIGTERM')
    const unexpected = results.failures.filter(
      ({ started, ended }) => !interruptions.outages.some(({ from, until }) => started <= until && ended >= from),
    )
    return { interruptions, unexpected, seconds, longestBefore, results }
  } finally {
    await close()
  }
}

async function newInstallation(environment: Environment, scenario: string): Promise<Record<string, string>> {
  const name = scenario.replaceAll(/[^a-z0-9]+/gi, '_')
  await environment.administer(`create database "${name}"`)
  return {
    ...unlimited,
    DATABASE_URL: environment.urlOf(name),
    MUSTER_DATA: join(environment.folder, `data-${name}`),
    MUSTER_LOG_LEVEL: 'warn',
  }
}

async function freshSchema(environment: Environment, { name, after }: Scenario): Promise<string[]> {
  const env = await newInstallation(environment, `${name}-fresh`)
  const server = await readyServer(after, env)
  await server.stop('SIGTERM')
  const { db, close } = openDatabase(env.DATABASE_URL!)
  try {
    return await schemaOf(db)
  } finally {
    await close()
  }
}

function openDatabase(url: string): { db: Kysely<unknown>; close: () => Promise<void> } {
  const db = createDatabase(createPool({ connection: { connectionString: url }, size: 2, statementTimeout: 0 }))
  return { db: db as unknown as Kysely<unknown>, close: () => db.destroy() }
}

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { createDatabase, createPool } from '../../../src/db/database.ts'
import { readCredentials } from '../../harness/server-process.ts'
import { unlimited } from '../../harness/unlimited.ts'
import { missingOnPartitions, schemaOf } from '../schema-of.ts'
import { addBelongings, assertAcknowledged, untouchedRows } from './data.ts'
import { type Done, startLoad } from './load.ts'
import { readyServer, runCommand, startServer } from './server.ts'

export interface Scenario {
  name: string
  /** Folders of code. */
  before: string
  after: string
  /** What must be true of the data, besides that all of it is there. */
  check(db: Kysely<unknown>): Promise<void>
  devices: number
  kills: number
}

export interface Outcome {
  kills: number
  /** From the first start of the new release until one of its servers served. */
  seconds: number
  /** Milliseconds of the longest write before that. */
  longestBefore: number
  done: Done
}

/** A PostgreSQL, a folder for what servers keep, and its databases. */
export interface Place {
  folder: string
  administer(statement: string): Promise<void>
  urlOf(database: string): string
}

/** Has servers of the new release bring a database there while one of the release before serves, and compares. */
export async function play(place: Place, scenario: Scenario): Promise<Outcome> {
  const { name, before, after } = scenario
  const env = await newInstallation(place, name)
  const former = await readyServer(before, env)
  await runCommand(before, env, 'seed', '--users', '2', '--devices', String(scenario.devices / 2), '--services', '2')
  const { db, close } = openDatabase(env.DATABASE_URL!)
  try {
    await addBelongings(db)
    const untouched = await untouchedRows(db)
    const credentials = await readCredentials(env.MUSTER_DATA!)
    const load = await startLoad(credentials, former.url)
    await sleep(2_000)

    const longestBefore = Math.max(...load.done.writes)
    const began = performance.now()
    const kills = await killWhileMigrating({ db, after, env, most: scenario.kills })
    const server = await readyServer(after, env)
    const seconds = (performance.now() - began) / 1_000
    load.setUrls([former.url, server.url])
    await sleep(2_000)
    await load.stop()
    const { done } = load
    await former.stop('SIGTERM')

    await assertAcknowledged(credentials, server.url, done)
    assert.deepEqual(await untouchedRows(db, untouched), untouched)
    await scenario.check(db)
    assert.deepEqual(await schemaOf(db), await freshSchema(place, scenario))
    assert.deepEqual(await missingOnPartitions(db), [])
    await server.stop('SIGTERM')
    return { kills, seconds, longestBefore, done }
  } finally {
    await close()
  }
}

async function newInstallation(place: Place, scenario: string): Promise<Record<string, string>> {
  const name = scenario.replaceAll(/[^a-z0-9]+/gi, '_')
  await place.administer(`create database "${name}"`)
  return {
    ...unlimited,
    DATABASE_URL: place.urlOf(name),
    MUSTER_DATA: join(place.folder, `data-${name}`),
    MUSTER_LOG_LEVEL: 'warn',
  }
}

interface Killing {
  db: Kysely<unknown>
  after: string
  env: Record<string, string>
  most: number
}

/** Kills servers of the new release at random moments of their work on the schema. Answers how often it met one. */
async function killWhileMigrating({ db, after, env, most }: Killing): Promise<number> {
  let kills = 0
  while (kills < most) {
    const server = startServer(after, env)
    let isOver = false
    const ended = server.ready.then(() => {
      isOver = true
    })
    while (!isOver && !(await isMigrating(db))) await sleep(5)
    // Most steps are over in no time, and some take long: from 2 to 1,000 ms, each order of magnitude as often.
    await Promise.race([ended, sleep(2 * 500 ** Math.random())])
    const met = await isMigrating(db)
    await server.stop('SIGKILL')
    if (!met) return kills
    kills++
  }
  return kills
}

async function isMigrating(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())
      and objid::bigint = hashtext('muster migrations')::bigint & 4294967295`.execute(db)
  return rows.length > 0
}

/** Of a database in which the new release started first. */
async function freshSchema(place: Place, { name, after }: Scenario): Promise<string[]> {
  const env = await newInstallation(place, `${name}-fresh`)
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

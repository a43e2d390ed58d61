import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { StartError } from '../start-error.ts'

interface NamedDatabase {
  name: string
  connection: pg.ClientConfig
}

const WAIT_MS = 60_000
const RETRY_MS = 500
const MIN_VERSION = 150_000
const FIRST_UNKNOWN_VERSION = 190_000

/**
 * Waits up to a minute for a database that is unreachable, starting, or stopping, or that has no free connection.
 * Throws after this minute or when `signal` is aborted. Throws immediately for an error with another code, or
 * if Muster does not support the database.
 */
export async function waitForDatabase(
  database: NamedDatabase,
  log: FastifyBaseLogger,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now()
  for (let tries = 0; ; tries++) {
    try {
      return await assertSuitable(database, log)
    } catch (error) {
      if (error instanceof StartError) throw error
      const { code, message } = error as NodeJS.ErrnoException
      if (!isTransient(code)) throw new StartError(`${database.name}: ${message}`, { cause: error })
      if (performance.now() - startedAt > WAIT_MS) {
        throw new StartError(
          `${database.name}: the database was unavailable for 60 seconds (${message || code}). Check the host and port in the URL, the database, and the network.`,
          { cause: error },
        )
      }
      if (tries % 10 === 0) log.warn({ err: error, setting: database.name }, 'waiting for the database')
      await sleep(RETRY_MS, undefined, { signal })
    }
  }
}

const transientCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** The database is starting or stopping (57P03), or no connection is free (53300). A lost connection has no code. */
const isTransient = (code: string | undefined): boolean =>
  code === undefined || transientCodes.has(code) || code === '57P03' || code === '53300'

async function assertSuitable({ name: source, connection }: NamedDatabase, log: FastifyBaseLogger): Promise<void> {
  const client = new pg.Client({ ...connection, application_name: 'muster', connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const setting = async (name: string): Promise<string> =>
      (await client.query<{ value: string }>('select current_setting($1) as value', [name])).rows[0]?.value ?? ''
    const version = Number(await setting('server_version_num'))
    if (version < MIN_VERSION || version >= FIRST_UNKNOWN_VERSION) {
      throw new StartError(
        `The database in ${source} is PostgreSQL ${await setting('server_version')}; Muster requires PostgreSQL 15 to 18.`,
      )
    }
    if ((await setting('server_encoding')) !== 'UTF8') {
      throw new StartError(
        `The database in ${source} has the encoding ${await setting('server_encoding')}; Muster requires UTF8. Create a database with the encoding UTF8.`,
      )
    }
    for (const name of ['fsync', 'full_page_writes']) {
      if ((await setting(name)) === 'off')
        log.warn(`the database in ${source} runs with ${name} off, so a crash can lose or damage data: turn ${name} on`)
    }
  } finally {
    await client.end().catch(() => {})
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

const DATABASE_TIMEOUT_MS = 2_000

export interface HealthOptions {
  /**
   * The number of milliseconds without a response after which the server treats the database as unresponsive. `/readyz`
   * waits up to this time for the database, or up to 2 s if that is longer.
   */
  databaseSilence?: number
}

/**
 * Registers `/healthz` and `/readyz`. If `/healthz` does not respond, the process needs a restart. `/readyz` returns
 * 503 while the database fails or does not respond in time, and during shutdown.
 */
export function registerHealth(app: FastifyInstance, db: Database, { databaseSilence = 0 }: HealthOptions = {}): void {
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })
  const isDatabaseAvailable = shared(() => respondsInTime(db, Math.max(DATABASE_TIMEOUT_MS, databaseSilence)))

  app.get('/healthz', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    if (isStopping) return reply.code(503).send({ status: 'unavailable', reason: 'the server is stopping' })
    if (await isDatabaseAvailable()) return reply.send({ status: 'ok' })
    return reply.code(503).send({ status: 'unavailable', reason: 'the database is not responding' })
  })
}

async function respondsInTime(db: Database, milliseconds: number): Promise<boolean> {
  const timeout = new AbortController()
  const response = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
  const timedOut = sleep(milliseconds, false, { signal: timeout.signal }).catch(() => false)
  const isAvailable = await Promise.race([response, timedOut])
  timeout.abort()
  return isAvailable
}

function shared<Value>(run: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined
  return () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}

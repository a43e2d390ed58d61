import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

const DATABASE_ANSWERS_WITHIN_MS = 2_000

/**
 * `/healthz`: this process lives; restart it when it does not answer. `/readyz`: it can serve, which takes the database;
 * send requests elsewhere while it answers 503, as it does from the moment it begins to stop.
 */
export function registerHealth(app: FastifyInstance, db: Database): void {
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })
  const databaseAnswers = shared(() => answersInTime(db))

  app.get('/healthz', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    if (isStopping) return reply.code(503).send({ status: 'unavailable', reason: 'the server is stopping' })
    if (await databaseAnswers()) return reply.send({ status: 'ok' })
    return reply.code(503).send({ status: 'unavailable', reason: 'the database does not answer' })
  })
}

async function answersInTime(db: Database): Promise<boolean> {
  const timeout = new AbortController()
  const asked = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
  const late = sleep(DATABASE_ANSWERS_WITHIN_MS, false, { signal: timeout.signal }).catch(() => false)
  const answered = await Promise.race([asked, late])
  timeout.abort()
  return answered
}

/** However many ask at a time, one question is on its way. */
function shared<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let asked: Promise<Value> | undefined
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined
    })
    return asked
  }
}

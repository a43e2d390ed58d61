import fastify from 'fastify'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database/test-database.ts'
import { registerHealth } from './health.ts'

it('reports readiness only while the database responds, and liveness at all times', async () => {
  const database = await createTestDatabase()
  const app = fastify()
  registerHealth(app, database.db)
  const status = async (url: string) => (await app.inject({ url })).statusCode
  expect(await status('/healthz')).toBe(200)
  // Poll, because the server reports a slow database as unavailable.
  await expect.poll(() => status('/readyz')).toBe(200)
  await database.drop()
  expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 503])
  await app.close()
})

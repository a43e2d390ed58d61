import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../test/database/test-database.ts'
import { createDatabase } from '../../db/database.ts'
import { createPool } from '../../db/pool/create-pool.ts'
import { createLease, LeaseLost } from './lease.ts'

test('keeps a new lease when an attempt to lock the previous lease fails late', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const connection = { ...database.connection, connectionTimeoutMillis: 0 }
  const single = createDatabase(createPool({ connection, size: 1, statementTimeout: 0 }))
  onTestFinished(() => single.destroy())
  const lease = createLease(database.db, pino({ level: 'silent' }), () => {})
  await lease.renew()
  const previous = lease.id

  let late: Promise<unknown> | undefined
  await single.connection().execute(async () => {
    // This attempt waits until the connection is free.
    late = lease.lock(single).catch((error: unknown) => error)
    await sql`update server_process set expires = now()`.execute(database.db)
    await expect(lease.lock(database.db)).rejects.toThrow(LeaseLost)
    await lease.renew()
  })
  expect(await late).toBeInstanceOf(LeaseLost)
  expect(lease.id).not.toBe(previous)
  // On a slow machine, the lease may have expired in the meantime.
  await sql`update server_process set expires = now() + interval '1 hour' where id = ${lease.id}`.execute(database.db)
  expect(await lease.lock(database.db)).toBe(lease.id)
})

import pg from 'pg'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../packages/server/test/database/test-database.ts'
import { createAccount } from '../../packages/server/test/factories/account.ts'
import { seedDevices } from '../../packages/server/test/factories/seed-devices.ts'
import { measureRows } from './measure-rows.ts'

it('measures the number and size of rows in each table, including partitions', async () => {
  const database = await createTestDatabase()
  const { id } = await createAccount(database.db)
  await seedDevices(
    database.db,
    id,
    Array.from({ length: 100 }, (_, index) => ({ name: `device ${index}` })),
  )
  const client = new pg.Client(database.connection)
  await client.connect()
  try {
    const sizes = new Map((await measureRows(client)).map((size) => [size.name, size]))
    for (const [table, rows] of [
      ['device', 100],
      ['device_live', 100],
      ['device_hold', 100],
      ['event', 1_000],
    ] as const) {
      expect(sizes.get(table)?.rows).toBe(rows)
      expect(sizes.get(table)?.bytes).toBeGreaterThan(50)
      expect(sizes.get(table)?.indexBytes).toBeGreaterThan(50)
    }
  } finally {
    await client.end()
    await database.drop()
  }
})

import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { sharedTestApp } from '../../test/harness/app.ts'
import type { Database } from './database.ts'
import { sentTogether } from './sent-together.ts'

const app = sharedTestApp()

const read = async (db: Database, value: number): Promise<number> =>
  (await sql<{ value: number }>`select ${value}::int as value`.execute(db)).rows[0]!.value

it('returns all results, without a warning from the driver', async () => {
  const warnings: string[] = []
  const listen = ({ message }: Error) => void warnings.push(message)
  process.on('warning', listen)
  const inOrder = await app.db
    .transaction()
    .execute((db) => sentTogether([read(db, 1), sentTogether([read(db, 2), read(db, 3)]), read(db, 4), read(db, 5)]))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', listen)
  expect(inOrder).toEqual([1, [2, 3], 4, 5])
  expect(warnings).toEqual([])
})

it('throws the failure that ended the transaction, not the failure of a later statement', async () => {
  const failing = app.db.transaction().execute((db) => {
    const inTwoSteps = async () => (await read(db, 1)) + (await read(db, 2))
    const fail = sql`do $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$`.execute(db)
    return sentTogether([sentTogether([inTwoSteps(), read(db, 3)]), fail, read(db, 4)])
  })
  await expect(failing).rejects.toMatchObject({ code: '53100' })
})

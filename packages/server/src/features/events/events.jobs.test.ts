import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { createEventPartitions } from '../../db/event-partitions.ts'
import { keepPartitions } from './events.jobs.ts'

it('makes the partitions of the months to come, and drops those that ended before what is kept', async () => {
  const { db, drop } = await createTestDatabase()
  onTestFinished(drop)
  const names = async (): Promise<string[]> => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'event'::regclass order by relname`.execute(db)
    return rows.map(({ name }) => name)
  }
  await createEventPartitions(db, new Date('2031-01-15'))
  const now = new Date('2032-02-20T00:00:00Z')
  expect(await keepPartitions(db, { now, retention: 0 })).toEqual([])
  // 400 days before is 2031-01-16: January is still kept in part.
  const dropped = await keepPartitions(db, { now, retention: 400 })
  expect(dropped.every((name) => name < 'event_2031_01')).toBe(true)
  const left = await names()
  expect(left).toEqual([
    ...['event_2031_01', 'event_2031_02', 'event_2031_03', 'event_2031_04'],
    ...['event_2032_02', 'event_2032_03', 'event_2032_04', 'event_2032_05'],
  ])
  expect(await keepPartitions(db, { now: new Date('2032-03-10T00:00:00Z'), retention: 400 })).toEqual(['event_2031_01'])
})

it('a partition that another server makes meanwhile is left as it is', async () => {
  const { db, drop } = await createTestDatabase()
  onTestFinished(drop)
  const now = new Date('2033-05-01')
  // As a server does it that is first: its lock until its partition is there.
  const makes = await db.transaction().execute(async (other) => {
    await sql`select pg_advisory_xact_lock(hashtext('muster event partitions'))`.execute(other)
    const made = createEventPartitions(db, now)
    made.catch(() => {})
    const waits = async (): Promise<number> => {
      const { rows } = await sql`
        select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(other)
      return rows.length
    }
    await expect.poll(waits).toBe(1)
    await sql
      .raw(
        "create table event_2033_05 partition of event for values from ('2033-05-01T00:00Z') to ('2033-06-01T00:00Z')",
      )
      .execute(other)
    return { made }
  })
  await makes.made
})

import { sql } from 'kysely'
import { createDatabase, type Database, type PoolWatch } from '../../src/db/database.ts'
import { createPool } from '../../src/db/pool/create-pool.ts'
import type { AttributeName } from '../../src/features/attributes/attribute-name.ts'
import type { BaseWrite } from '../../src/features/attributes/set-attribute.queries.ts'
import { serverSource } from '../../src/features/events/event-source.ts'
import { insertDevices } from './query-plans.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

/** A change to a base value, as an event records it. */
export interface Change {
  name: string
  old: string | null
  new: string | null
  actor: string | null
}

export interface AttributeWrites {
  accountId: string
  db: Database
  connection: TestDatabase['connection']
  /** Returns the ID of a device that no earlier call has returned. Throws if no device is left. */
  nextDevice(): string
  nextDevices(count: number): string[]
  write(targetId: string, name: AttributeName, value: string | null): BaseWrite
  attributesOf(id: string): Promise<Record<string, unknown>>
  /** Returns a device's changes, in the order of their event IDs. */
  changesOf(id: string): Promise<Change[]>
  drop(): Promise<void>
}

export async function openAttributeWrites({ devices }: { devices: number }): Promise<AttributeWrites> {
  const accountId = 'account'
  const { db, connection, drop } = await createTestDatabase()
  await insertDevices(db, accountId, devices)
  let used = 0
  const nextDevice = (): string => {
    if (used === devices)
      throw new Error(`All ${devices} devices have been used. Pass a larger number to openAttributeWrites.`)
    return `device ${++used}`
  }
  return {
    accountId,
    db,
    connection,
    nextDevice,
    nextDevices: (count) => Array.from({ length: count }, nextDevice),
    write: (targetId, name, value) => ({ accountId, actorId: accountId, source: serverSource, targetId, name, value }),
    async attributesOf(id) {
      const { attributes } = await db
        .selectFrom('device')
        .select('attributes')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return attributes as Record<string, unknown>
    },
    async changesOf(id) {
      const { rows } = await sql<Change>`
        select name, change ->> 'old' as old, change ->> 'new' as new, actor_id as actor
        from event, jsonb_each(data -> 'changes') as each (name, change)
        where account_id = ${accountId} and device_id = ${id} order by event.id`.execute(db)
      return rows
    },
    drop,
  }
}

/** Opens separate connections, as another server would. */
export const connectToDatabase = (connection: TestDatabase['connection'], watch?: PoolWatch): Database =>
  createDatabase(createPool({ connection, size: 4, statementTimeout: 0 }), watch)

export function connectAndRecord(
  connection: TestDatabase['connection'],
  note = (): string | undefined => undefined,
): { watched: Database; sent: unknown[] } {
  const sent: unknown[] = []
  const statement: PoolWatch['statement'] = (_text, _name, run) => {
    sent.push(note())
    return run()
  }
  return { watched: connectToDatabase(connection, { statement }), sent }
}

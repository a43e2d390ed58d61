import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ServiceName } from './service.ts'

export async function selectServiceNames(db: Database, accountId: string, deviceId: string): Promise<ServiceName[]> {
  const { rows } = await sql<ServiceName>`
    select id, name from service where account_id = ${accountId} and device_id = ${deviceId} order by id`.execute(db)
  return rows
}

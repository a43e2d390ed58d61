import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ReadFilter } from '../filters/read-filter.ts'
import { filterCondition } from '../filters/sql/conditions.ts'
import { noTables } from '../filters/sql/filter-scope.ts'
import { insideCondition } from '../filters/sql/reachable-devices.ts'
import { isNoBulkService, joinServiceLive } from '../filters/sql/value-source.ts'

/** Omits bulk services, and the services of devices that the caller cannot reach. */
export async function selectMatchingServices(
  db: Database,
  accountId: string,
  {
    filter,
    ids,
    now,
    inside,
  }: { filter: ReadFilter; ids: readonly string[]; now: Date; inside: ResolvedFilter | undefined },
): Promise<string[]> {
  const condition = filterCondition(filter.filter, {
    ...{ accountId, context: undefined, now: now.getTime(), tables: noTables() },
  })
  const reached = inside === undefined ? sql`true` : insideCondition(accountId, inside, noTables())
  const { rows } = await sql<{ id: string }>`
    select s.id from service s
    join device d on d.account_id = s.account_id and d.id = s.device_id
    join device_live l on l.account_id = s.account_id and l.device_id = s.device_id
    ${joinServiceLive}
    where s.account_id = ${accountId} and s.device_id = any(${ids}) and ${isNoBulkService} and ${condition}
      and ${reached}`.execute(db)
  return rows.map(({ id }) => id)
}

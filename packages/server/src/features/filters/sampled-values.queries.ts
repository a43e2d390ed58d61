import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { both, either, noTables, type Sql } from './sql/filter-scope.ts'
import { isInside } from './sql/reachable-devices.ts'
import { isNoBulkService, joinServiceLive, overridesIn, textOfValue, type ValueSubject } from './sql/value-source.ts'

/** The maximum number of devices, services, or overrides whose values or contexts are counted. */
export const SAMPLE = 10_000
/** The maximum number of values to return, most frequent first. */
const VALUES = 100

export interface ValueCount {
  value: string
  count: number
}

export async function selectFrequentContexts(
  db: Database,
  accountId: string,
  inside: ResolvedFilter | undefined,
): Promise<ValueCount[]> {
  const conditions = [sql`account_id = ${accountId}`, ...ofTargetsInside(accountId, inside)]
  const { rows } = await sql<ValueCount>`
    select context as value, count(*)::int as count from (
      select context from attribute_override where ${both(conditions)} limit ${sql.lit(SAMPLE)}) as sampled
    group by context order by count desc, context limit ${sql.lit(VALUES)}`.execute(db)
  return rows
}

const ofTargetsInside = (accountId: string, inside: ResolvedFilter | undefined): Sql[] =>
  inside === undefined
    ? []
    : [
        either([
          ...isInside(accountId, inside, sql`target_id`),
          ...isInside(
            accountId,
            inside,
            sql`(select s.device_id from service s where s.account_id = ${accountId} and s.id = target_id)`,
          ),
        ]),
      ]

export async function selectFrequentValues(
  db: Database,
  accountId: string,
  {
    subject,
    context,
    inside,
  }: { subject: ValueSubject; context: string | undefined; inside: ResolvedFilter | undefined },
): Promise<ValueCount[]> {
  const tables = noTables()
  const scope = { accountId, context, now: 0, tables }
  const value = textOfValue(scope, subject, 'day')
  const { rows } = await sql<ValueCount>`
    select value, count(*)::int as count from (
      select ${value} as value from (
        select account_id, id, attributes, name, hardware_id, platform, created from device
        where ${both([sql`account_id = ${accountId}`, ...isInside(accountId, inside, sql`device.id`)])}
        limit ${sql.lit(SAMPLE)}) as d
      ${tables.live || tables.serviceLive ? sql`join device_live l on l.account_id = d.account_id and l.device_id = d.id` : sql``}
      ${tables.overrides ? overridesIn(context!, 'device') : sql``}
      ${
        subject.of === 'service'
          ? sql`join service s on s.account_id = d.account_id and s.device_id = d.id and ${isNoBulkService} ${joinServiceLive}`
          : sql``
      }
      ${tables.serviceOverrides ? overridesIn(context!, 'service') : sql``}
      limit ${sql.lit(SAMPLE)}
    ) as sampled where value is not null
    group by value order by count desc, value limit ${sql.lit(VALUES)}`.execute(db)
  return rows
}

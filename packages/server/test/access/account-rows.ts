import { type Database, query } from '../../src/db/database.ts'

/** Returns an account's rows from all tables that have a column for the account. */
export async function allRowsOf(db: Database, accountId: string): Promise<Record<string, unknown[]>> {
  const parts = (await tablesOf(db)).map(
    ({ name, column }) => `select '${name}' as name, to_jsonb(t) as row from "${name}" as t where "${column}" = $1`,
  )
  const found = await query<{ name: string; row: unknown }>(db, `${parts.join(' union all ')} order by 1, 2`, [
    accountId,
  ])
  const byTable = Map.groupBy(found, ({ name }) => name)
  return Object.fromEntries(Array.from(byTable, ([name, rows]) => [name, rows.map(({ row }) => row)]))
}

/**
 * Returns an account's rows. Omits data that the server changes in the background or during queries, such as last-use
 * times and the events for download links.
 */
export async function rowsWithoutUsage(db: Database, accountId: string): Promise<Record<string, unknown[]>> {
  const rows = await allRowsOf(db, accountId)
  const {
    access_key: keys = [],
    restricted_key: restricted = [],
    membership: memberships = [],
    event: events = [],
    key_use: _use,
    attribute_name: _names,
    attribute_name_summary: _summary,
    presence_sample: _samples,
    ...others
  } = rows
  const isOwnLink = (event: object): boolean =>
    'type' in event && event.type === 'DOWNLOAD_LINK_CREATE' && 'actor_id' in event && event.actor_id === accountId
  return {
    ...others,
    access_key: [...keys, ...restricted].map(withoutLastUse),
    membership: memberships.map(withoutLastUse),
    event: events.filter((event) => !isOwnLink(event as object)),
  }
}

const withoutLastUse = (row: unknown): object => ({ ...(row as object), last_used: null })

interface AccountTable {
  name: string
  column: string
}

const tables = new WeakMap<Database, Promise<AccountTable[]>>()

function tablesOf(db: Database): Promise<AccountTable[]> {
  let found = tables.get(db)
  if (found === undefined) {
    found = query<AccountTable>(
      db,
      `select relname as name, case relname when 'account' then 'id' else 'account_id' end as column
       from pg_class join pg_namespace on pg_namespace.oid = relnamespace
       where nspname = current_schema() and relkind in ('r', 'p') and not relispartition
         and (relname = 'account' or exists (select from pg_attribute where attrelid = pg_class.oid and attname = $1))
       order by 1`,
      ['account_id'],
    )
    tables.set(db, found)
  }
  return found
}

/** Waits until the database contains a key's last-use time, which the server writes shortly after the request. */
export async function waitForLastUsed(db: Database, key: string): Promise<void> {
  for (;;) {
    const [row] = await query<{ used: boolean }>(
      db,
      'select last_used is not null as used from access_key where key = $1',
      [key],
    )
    if (row?.used) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

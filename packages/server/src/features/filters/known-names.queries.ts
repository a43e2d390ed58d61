import { type Database, query } from '../../db/database.ts'

/**
 * Returns the given names that are in the summary of the account's names (`attribute_name`). Also returns a given name
 * if the summary contains names in a group of this name.
 */
export async function selectKnownNames(db: Database, accountId: string, names: readonly string[]): Promise<string[]> {
  const rows = await query<{ name: string }>(
    db,
    // In code point order, the slash follows the dot. The range therefore contains every name in the group.
    `select asked.name from unnest($2::text[]) as asked (name)
     where exists (select from attribute_name where account_id = $1 and name = asked.name)
       or exists (select from attribute_name
         where account_id = $1 and name > asked.name || '.' and name < asked.name || '/')`,
    [accountId, names],
  )
  return rows.map(({ name }) => name)
}

/** Checks whether the summary contains names in a group of this name, but not the name itself. */
export async function selectIsGroupOnly(db: Database, accountId: string, name: string): Promise<boolean> {
  const rows = await query<{ is_group: boolean }>(
    db,
    `select exists (select from attribute_name where account_id = $1 and name > $2 || '.' and name < $2 || '/')
       and not exists (select from attribute_name where account_id = $1 and name = $2) as is_group`,
    [accountId, name],
  )
  return rows[0]!.is_group
}

/** The maximum number of devices that are sampled to find out whether the values of a name are versions. */
const SAMPLE = 1_000

/**
 * Returns the names for which a sampled device has a value that begins with three numbers separated by dots, such as
 * 2.10.1. At most two other characters can precede the numbers, as in v2.10.1.
 */
export async function selectNamesOfVersions(
  db: Database,
  accountId: string,
  names: readonly string[],
): Promise<string[]> {
  const rows = await query<{ name: string }>(
    db,
    `select asked.name from unnest($2::text[]) as asked (name), split_part(asked.name, '.', 1) as first
     where exists (
       select from (select attributes from device where account_id = $1 order by id limit ${SAMPLE}) as sampled
       where coalesce(sampled.attributes ->> asked.name,
         sampled.attributes -> first ->> substr(asked.name, length(first) + 2)) ~ '^[^0-9]{0,2}[0-9]+[.][0-9]+[.][0-9]+')`,
    [accountId, names],
  )
  return rows.map(({ name }) => name)
}

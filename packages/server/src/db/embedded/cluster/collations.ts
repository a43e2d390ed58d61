import pg from 'pg'
import type { EmbeddedConnection } from '../connection.ts'
import type { EmbeddedLog } from '../embedded-log.ts'

/**
 * Rebuilds the indexes and updates the recorded collation versions if an ICU update has changed a collation. An index
 * that is sorted by one ICU version may be wrong for another.
 */
export async function refreshCollations(connection: EmbeddedConnection, log: EmbeddedLog): Promise<void> {
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string; was: string; is: string }>(changedCollations)
    if (rows.length === 0) return
    log.warn(
      { collations: rows },
      'the sort order of strings may have changed with the ICU version; rebuilding the indexes, which may take a while',
    )
    await client.query(`REINDEX DATABASE ${pg.escapeIdentifier(connection.database)}`)
    for (const { name } of rows) await client.query(`ALTER COLLATION ${name} REFRESH VERSION`)
    log.info({ collations: rows.map(({ name }) => name) }, 'rebuilt the indexes')
  } finally {
    await client.end()
  }
}

/**
 * Selects the collations that Muster's role owns and that an ICU update has changed. Other collations need no check,
 * because every other collation that Muster's indexes use sorts by code point.
 */
const changedCollations = `
SELECT oid::regcollation::text AS name, collversion AS was, pg_collation_actual_version(oid) AS is
FROM pg_collation
WHERE collowner = current_user::regrole
  AND collversion IS DISTINCT FROM pg_collation_actual_version(oid)
ORDER BY name`

import pg from 'pg'
import type { EmbeddedConnection } from '../connection.ts'
import type { EmbeddedLog } from '../embedded-log.ts'

/** Rebuilds the indexes after an ICU update, because an index in one version's sort order may be wrong in another's. */
export async function refreshCollations(connection: EmbeddedConnection, log: EmbeddedLog): Promise<void> {
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string; was: string; is: string }>(changedCollations)
    if (rows.length === 0) return
    log.warn(
      { collations: rows },
      'the sort order of strings has changed with the ICU version; rebuilding the indexes, which may take a while',
    )
    await client.query(`REINDEX DATABASE ${pg.escapeIdentifier(connection.database)}`)
    for (const { name } of rows) await client.query(`ALTER COLLATION ${name} REFRESH VERSION`)
    log.info({ collations: rows.map(({ name }) => name) }, 'rebuilt the indexes')
  } finally {
    await client.end()
  }
}

/** Other collations need no check, because Muster's indexes use them only if they sort by code point. */
const changedCollations = `
SELECT oid::regcollation::text AS name, collversion AS was, pg_collation_actual_version(oid) AS is
FROM pg_collation
WHERE collowner = current_user::regrole
  AND collversion IS DISTINCT FROM pg_collation_actual_version(oid)
ORDER BY name`

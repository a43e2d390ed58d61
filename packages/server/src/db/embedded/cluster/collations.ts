import pg from 'pg'
import type { EmbeddedConnection } from '../connection.ts'
import type { EmbeddedLog } from '../embedded-log.ts'

/**
 * An index sorted by one version of ICU is wrong under another: after an update that brought a new ICU, the indexes are
 * rebuilt before anybody reads through them.
 */
export async function refreshCollations(connection: EmbeddedConnection, log: EmbeddedLog): Promise<void> {
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string; was: string; is: string }>(changedCollations)
    if (rows.length === 0) return
    log.warn(
      { collations: rows },
      'the order of texts has changed with ICU: rebuilding the indexes, which takes a while',
    )
    await client.query(`REINDEX DATABASE ${pg.escapeIdentifier(connection.database)}`)
    for (const { name } of rows) await client.query(`ALTER COLLATION ${name} REFRESH VERSION`)
    log.info({ collations: rows.map(({ name }) => name) }, 'indexes rebuilt')
  } finally {
    await client.end()
  }
}

/** Those that this role owns: the others are ICU's ready-made ones, which no index of ours uses. */
const changedCollations = `
SELECT oid::regcollation::text AS name, collversion AS was, pg_collation_actual_version(oid) AS is
FROM pg_collation
WHERE collowner = current_user::regrole
  AND collversion IS DISTINCT FROM pg_collation_actual_version(oid)
ORDER BY name`

import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'

/**
 * The number of a server process's connections that do not serve requests:
 * - five for background work and the job queue
 * - one for notifications
 * - one for probes in each of the two pools
 */
const BACKGROUND_CONNECTIONS = 8

/** The size of the pool that only assigns event IDs, for a server that uses the workers of a cluster. */
export const EVENT_ID_CONNECTIONS = 2

type Counts = Pick<Config, 'processes' | 'databaseConnections' | 'databaseDirectUrl' | 'databaseUrls'>

/** Returns the maximum number of connections that all server processes open to the database itself, not to a pooler. */
export function connectionsNeeded({ processes, databaseConnections, databaseDirectUrl, databaseUrls }: Counts): number {
  // The pool for event IDs has one more connection, for probes.
  const forRequests = databaseConnections + (databaseUrls.length > 0 ? EVENT_ID_CONNECTIONS + 1 : 0)
  return processes * (BACKGROUND_CONNECTIONS + (databaseDirectUrl === undefined ? forRequests : 0))
}

interface Log {
  warn(details: object, message: string): void
}

/** Without this warning, the operator would notice the lack of connections only when requests fail under load. */
export async function warnOfConnections(db: Database, config: Config, log: Log): Promise<void> {
  const needed = connectionsNeeded(config)
  const { rows } = await sql<{ allowed: number }>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      as allowed`.execute(db)
  const { allowed } = rows[0]!
  if (needed <= allowed) return
  const lower =
    config.databaseDirectUrl === undefined ? 'MUSTER_WORKERS or MUSTER_DATABASE_CONNECTIONS' : 'MUSTER_WORKERS'
  log.warn(
    { needed, allowed },
    `the database allows fewer connections than this server may need: raise its max_connections, or lower ${lower}`,
  )
}

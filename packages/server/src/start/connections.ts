import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'

/** Of a server process, besides those for requests: five for background work and one each for the job queue, notifications, and probes. */
const BESIDE_REQUESTS = 8

type Counts = Pick<Config, 'processes' | 'databaseConnections' | 'databaseDirectUrl'>

/** Connections to the database itself that the processes of this command may have open together. */
export const connectionsNeeded = ({ processes, databaseConnections, databaseDirectUrl }: Counts): number =>
  processes * (BESIDE_REQUESTS + (databaseDirectUrl === undefined ? databaseConnections : 0))

/** Says at the start what would otherwise be told by requests that fail when many come. */
export async function warnOfConnections(db: Database, config: Config, log: FastifyBaseLogger): Promise<void> {
  const needed = connectionsNeeded(config)
  const { rows } = await sql<{ allowed: number }>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      as allowed`.execute(db)
  const { allowed } = rows[0]!
  if (needed > allowed)
    log.warn(
      { needed, allowed },
      'the database allows fewer connections than this server may need: raise its max_connections, or lower MUSTER_WORKERS or MUSTER_DATABASE_CONNECTIONS',
    )
}

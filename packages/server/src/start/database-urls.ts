import type pg from 'pg'
import type { Config } from '../config.ts'
import { clusterFolderOf } from '../db/embedded/cluster/cluster-folder.ts'
import { connectionTo } from '../db/embedded/connection.ts'
import type { DatabaseOptions } from '../db/pool/create-pool.ts'
import { StartError } from '../start-error.ts'

export interface DatabaseAccess {
  /** Options for work that needs direct connections: migrations, locks, jobs, and notifications. */
  connection: pg.PoolConfig
  /** Options for requests, which can go through a pooler. */
  requests: Pick<DatabaseOptions, 'connection' | 'direct'>
}

/** Uses the pooler in DATABASE_URL for requests if DATABASE_DIRECT_URL is set. All other connections are direct. */
export function databaseAccess({ databaseUrl, databaseDirectUrl, dataFolder }: Config): DatabaseAccess {
  if (databaseUrl === undefined) {
    const connection = connectionTo(clusterFolderOf(dataFolder))
    return { connection, requests: { connection } }
  }
  const connection = { connectionString: databaseDirectUrl ?? databaseUrl }
  if (databaseDirectUrl === undefined) return { connection, requests: { connection } }
  return { connection, requests: { connection: { connectionString: databaseUrl }, direct: connection } }
}

/** Throws a StartError if the database URLs are inconsistent with each other or with other settings. */
export function assertConsistentUrls(config: Config): void {
  if (config.databaseUrl === undefined) {
    if (config.databaseReadUrl !== undefined)
      throw new StartError(
        'DATABASE_READ_URL requires DATABASE_URL: set DATABASE_URL to the URL of the primary, or remove DATABASE_READ_URL to use the embedded database.',
      )
    if (config.databaseDirectUrl !== undefined)
      throw new StartError(
        'DATABASE_DIRECT_URL requires DATABASE_URL: set DATABASE_URL to the URL of the pooler. Without a pooler, set only DATABASE_URL. To use the embedded database, set neither.',
      )
    if (config.databaseUrls.length > 0)
      throw new StartError(
        'DATABASE_URLS requires DATABASE_URL: set DATABASE_URL to the URL of the coordinator, or remove DATABASE_URLS to use the embedded database.',
      )
    return
  }
  if (config.archiveFolder !== undefined)
    throw new StartError(
      'MUSTER_ARCHIVE_DIR works only with the embedded database, but DATABASE_URL is set. Remove MUSTER_ARCHIVE_DIR, and archive the external database as described in the guide on point-in-time recovery.',
    )
  if (config.databaseUrls.length > 0) {
    if (config.cluster === undefined)
      throw new StartError(
        'DATABASE_URLS requires MUSTER_CLUSTER=citus, because DATABASE_URLS contains the workers of a Citus cluster. For a streaming standby, set DATABASE_READ_URL instead.',
      )
    if (config.databaseReadUrl !== undefined)
      throw new StartError(
        'Set only one of DATABASE_READ_URL and DATABASE_URLS: list queries can read either from a standby or from the workers of a cluster.',
      )
  }
}

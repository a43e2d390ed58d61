import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clusterFolderOf, findCluster } from './cluster/cluster.ts'
import { askDatabase, connectionTo, type EmbeddedConnection } from './connection.ts'
import { type EmbeddedOptions, startEmbedded } from './embedded.ts'
import { EmbeddedError } from './embedded-error.ts'
import { explainFailure } from './explain-failure.ts'

/**
 * The connection to a database that another process runs on this data folder, once it serves; undefined when none
 * does. It ends with that process. Rejects with `wrong-owner` where this user may not enter the folder.
 */
export async function connectRunning(dataFolder: string): Promise<EmbeddedConnection | undefined> {
  const clusterFolder = clusterFolderOf(resolve(dataFolder))
  try {
    if ((await findCluster(clusterFolder)) === undefined) return undefined
    const connection = connectionTo(clusterFolder)
    for (;;) {
      const answer = await askDatabase(connection)
      if (answer === 'ready') return connection
      if (answer === 'absent') return undefined
      await sleep(250)
    }
  } catch (error) {
    throw await explainFailure(error, dataFolder)
  }
}

export interface OpenDatabase {
  readonly connection: EmbeddedConnection
  /** Stops the database if this process started it; another process's goes on. */
  close(): Promise<void>
}

const patienceMs = 60_000

/** For commands that work whether or not a server runs: uses its database, or starts one for as long as it takes. */
export async function connectOrStart(options: EmbeddedOptions): Promise<OpenDatabase> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const running = await connectRunning(options.dataFolder)
    if (running !== undefined) return { connection: running, close: async () => {} }
    try {
      const { connection, stop } = await startEmbedded(options)
      return { connection, close: stop }
    } catch (error) {
      // A server has the folder, but its database is just being made or started.
      if (!(error instanceof EmbeddedError) || error.code !== 'locked' || Date.now() > deadline) throw error
    }
    await sleep(100)
  }
}

import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clusterFolderOf, findCluster } from './cluster/cluster-folder.ts'
import { connectionTo, type EmbeddedConnection, readDatabaseState } from './connection.ts'
import { type EmbeddedOptions, startEmbedded } from './embedded.ts'
import { EmbeddedError } from './embedded-error.ts'
import { explainFailure } from './explain-failure.ts'

/**
 * Returns a connection to the running database, or undefined if no database is running. Waits while the database is
 * starting. Rejects with an EmbeddedError, whose code is `wrong-owner` if an ordinary user cannot enter the folder.
 */
export async function connectRunning(dataFolder: string): Promise<EmbeddedConnection | undefined> {
  const clusterFolder = clusterFolderOf(resolve(dataFolder))
  try {
    if ((await findCluster(clusterFolder)) === undefined) return undefined
    const connection = connectionTo(clusterFolder)
    for (;;) {
      const state = await readDatabaseState(connection)
      if (state === 'ready') return connection
      if (state === 'absent') return undefined
      await sleep(250)
    }
  } catch (error) {
    throw await explainFailure(error, dataFolder)
  }
}

export interface OpenDatabase {
  readonly connection: EmbeddedConnection
  /** Stops the database only if `connectOrStart` started it. */
  close(): Promise<void>
}

const timeoutMs = 60_000

/** Connects to the running database. If no database is running, starts one, and stops it when `close` is called. */
export async function connectOrStart(options: EmbeddedOptions): Promise<OpenDatabase> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const running = await connectRunning(options.dataFolder)
    if (running !== undefined) return { connection: running, close: async () => {} }
    try {
      const { connection, stop } = await startEmbedded(options)
      return { connection, close: stop }
    } catch (error) {
      // While another server that has locked the folder creates or starts its database, this loop waits for up to a
      // minute.
      if (!(error instanceof EmbeddedError) || error.code !== 'locked' || Date.now() > deadline) throw error
    }
    await sleep(100)
  }
}

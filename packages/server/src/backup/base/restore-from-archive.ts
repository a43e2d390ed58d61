import pg from 'pg'
import type { MasterKeySettings } from '../../auth/master-key/master-key.ts'
import { recoverCluster } from '../../db/embedded/archive/point-in-time-recovery.ts'
import type { EmbeddedConnection } from '../../db/embedded/connection.ts'
import { EmbeddedError } from '../../db/embedded/embedded-error.ts'
import type { EmbeddedLog } from '../../db/embedded/embedded-log.ts'
import { BackupError } from '../backup-error.ts'
import { selectMasterKeys, selectMigrations, selectSequences } from '../backup-tables.queries.ts'
import { createThrottle } from '../byte-throttle.ts'
import { assertKeys, skipNumbers } from '../restored-database.ts'
import { selectLastReplayed } from './base-backup.queries.ts'
import { restoreFiles } from './copy-files.ts'
import { findRecoverable, pickRange } from './recovery-ranges.ts'

export interface RestoreToOptions {
  config: MasterKeySettings
  archive: string
  /** Restores the transactions committed up to this time. `latest` restores all archived transactions. */
  to: Date | 'latest'
  /** The default is the newest timeline. */
  timeline?: number | undefined
  /** Whether to rename an existing database in the data folder. If false, the folder must not contain a database. */
  replace?: boolean | undefined
  /** Whether to restore even if the master key is missing. Without the key, no server starts on the restored database. */
  withoutKey?: boolean | undefined
  log: EmbeddedLog
  /**
   * Called before the recovered database is moved to the data folder. Receives the connection to this database and the
   * name of the base backup. Must not reject.
   */
  onRecovered?: (connection: EmbeddedConnection, backup: string) => Promise<void>
  signal?: AbortSignal | undefined
  /** Called with the number of bytes restored from the base backup so far, and the total. */
  onProgress?: (done: number, total: number) => void
}

export interface RestoredTo {
  backup: string
  /** The time when the last replayed transaction was committed, or undefined if none was replayed. */
  lastTransaction: Date | undefined
  aside: string | undefined
}

/**
 * Copies a base backup, replays the archived write-ahead log, and moves the database to the data folder. Throws a
 * BackupError in these cases:
 *
 * - The archive does not cover `to`.
 * - The base backup is damaged.
 * - A manifest in the archive is invalid or has another format version.
 * - The master key is missing, and `withoutKey` is not set.
 * - The data folder already contains a database folder, and `replace` is not set.
 */
export async function restoreTo(options: RestoreToOptions): Promise<RestoredTo> {
  const { config, archive, to, log, signal, onProgress } = options
  const recoverable = await findRecoverable(archive, options.timeline)
  const { backup } = pickRange(recoverable, to)
  const { manifest } = backup
  const throttle = createThrottle(0, signal)
  let done = 0
  const onBytes = async (bytes: number): Promise<void> => {
    done += bytes
    onProgress?.(done, manifest.bytes)
    await throttle(bytes)
  }
  try {
    const { result, aside } = await recoverCluster({
      dataFolder: config.dataFolder,
      log,
      archive,
      target: { time: to === 'latest' ? undefined : to, timeline: recoverable.timeline },
      majorVersion: manifest.postgres,
      replace: options.replace ?? false,
      copyBase: (folder) => restoreFiles(backup.folder, manifest, folder, onBytes),
      finish: async (connection) => {
        const lastTransaction = await finish(connection, options)
        await options.onRecovered?.(connection, backup.name)
        return lastTransaction
      },
    })
    return { backup: backup.name, lastTransaction: result, aside }
  } catch (error) {
    if (error instanceof EmbeddedError && error.code === 'not-empty') throw new BackupError('occupied', error.message)
    throw error
  }
}

async function finish(
  connection: EmbeddedConnection,
  { config, withoutKey = false }: RestoreToOptions,
): Promise<Date | undefined> {
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    if ((await selectMigrations(client)).length > 0) {
      if (!withoutKey) assertKeys(await selectMasterKeys(client), config)
      await skipNumbers(client, await selectSequences(client))
    }
    return await selectLastReplayed(client)
  } finally {
    await client.end()
  }
}

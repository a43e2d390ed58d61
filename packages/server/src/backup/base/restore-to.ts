import pg from 'pg'
import type { MasterKeySettings } from '../../auth/master-key.ts'
import { recoverCluster } from '../../db/embedded/archive/recover-cluster.ts'
import type { EmbeddedConnection } from '../../db/embedded/connection.ts'
import { EmbeddedError } from '../../db/embedded/embedded-error.ts'
import type { EmbeddedLog } from '../../db/embedded/embedded-log.ts'
import { selectMasterKeys, selectMigrations, selectSequences } from '../backup.queries.ts'
import { BackupError } from '../backup-error.ts'
import { assertKeys, skipNumbers } from '../restored-database.ts'
import { createThrottle } from '../throttle.ts'
import { selectLastReplayed } from './base-backup.queries.ts'
import { restoreFiles } from './copy-files.ts'
import { findRecoverable, pickRange } from './recovery-ranges.ts'

export interface RestoreToOptions {
  /** Where the database goes, and where the master key is looked for. */
  config: MasterKeySettings
  archive: string
  /** Everything that was committed up to this moment is restored, and nothing after it. */
  to: Date | 'latest'
  /** The newest, unless another is named. */
  timeline?: number | undefined
  /** Puts a database that is in the data folder aside. */
  replace?: boolean | undefined
  /** Continues without the master key: no server starts on the database before it is there. */
  withoutKey?: boolean | undefined
  log: EmbeddedLog
  /** Called on the recovered database before it takes its place, with the name of the base backup. Must not reject. */
  onRecovered?: (connection: EmbeddedConnection, backup: string) => Promise<void>
  signal?: AbortSignal | undefined
  /** Bytes of the base backup done, of how many. */
  onProgress?: (done: number, total: number) => void
}

export interface RestoredTo {
  /** Name of the base backup. */
  backup: string
  /** When the last restored transaction had committed; undefined when none came after the base backup. */
  lastTransaction: Date | undefined
  /** Where the replaced database is now. */
  aside: string | undefined
}

/** Restores the embedded database to a moment: copies a base backup, then replays the archived write-ahead log. */
export async function restoreTo(options: RestoreToOptions): Promise<RestoredTo> {
  const { config, archive, to, log, signal, onProgress } = options
  const recoverable = await findRecoverable(archive, options.timeline)
  const { backup } = pickRange(recoverable, to)
  const { manifest } = backup
  const throttle = createThrottle(0, signal)
  let done = 0
  const pass = async (bytes: number): Promise<void> => {
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
      copyBase: (folder) => restoreFiles(backup.folder, manifest, folder, pass),
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

/** The first work on the recovered database, which is not in its place yet. */
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

import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { archiveSettings } from './archive/archive-settings.ts'
import { grantBackupFunctions, mayBackUp } from './archive/grant-backup.ts'
import { prepareArchive } from './archive/prepare-archive.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { clusterFolderOf } from './cluster/cluster-folder.ts'
import { refreshCollations } from './cluster/collations.ts'
import { prepareCluster } from './cluster/prepare-cluster.ts'
import { connectionTo, type EmbeddedConnection } from './connection.ts'
import type { EmbeddedLog } from './embedded-log.ts'
import { explainFailure } from './explain-failure.ts'
import { launchReady } from './launch-ready.ts'
import { type Lock, lockDataFolder } from './lock.ts'
import { type LogFile, openLogFile } from './log-file.ts'
import type { Launch, Postgres } from './postgres.ts'
import type { VerifiedRunMode } from './privileges.ts'
import { settings } from './settings.ts'

export interface EmbeddedOptions {
  /** Contains the lock, PostgreSQL's folder `pg`, and its log `pg.log`. `startEmbedded` creates a missing folder. */
  readonly dataFolder: string
  readonly log: EmbeddedLog
  /** Called once if the database exits without a call to `stop`. The reason includes the end of the log. */
  readonly onExit: (reason: string) => void
  /** The folder in which the WAL is archived for point-in-time recovery. If omitted, there is no archive. */
  readonly archive?: string | undefined
  /** PostgreSQL settings that override the defaults of `settings()`, such as `{ fsync: 'off' }` in tests. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface Embedded {
  readonly connection: EmbeddedConnection
  readonly pid: number
  readonly majorVersion: number
  /**
   * Shuts PostgreSQL down in fast mode, which rolls back open transactions. If PostgreSQL is still running after 30
   * seconds, shuts it down in immediate mode. Resolves once the database has exited.
   */
  stop(): Promise<void>
}

/**
 * Resolves once PostgreSQL accepts connections. On failure, rejects with an EmbeddedError. The calling thread must
 * outlive the database, because on Linux the database shuts down when that thread ends.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const dataFolder = resolve(options.dataFolder)
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 })
    const binaries = await findBinaries(dataFolder)
    const lock = await lockDataFolder({ dataFolder, clusterFolder: clusterFolderOf(dataFolder), log: options.log })
    try {
      return await startLocked({ ...options, dataFolder }, binaries, lock)
    } catch (error) {
      await lock.release()
      throw error
    }
  } catch (error) {
    throw await explainFailure(error, dataFolder)
  }
}

async function startLocked(options: EmbeddedOptions, binaries: Binaries, lock: Lock): Promise<Embedded> {
  const { dataFolder, log, archive } = options
  const clusterFolder = clusterFolderOf(dataFolder)
  const runMode = await prepareCluster({ dataFolder, binaries, lock, log })
  if (archive !== undefined) await prepareArchive({ archive, clusterFolder, owner: runMode.owner, log })
  const logFile = await openLogFile(join(dataFolder, 'pg.log'))
  try {
    const archiving = archive === undefined ? {} : archiveSettings(archive)
    const launch: Launch = {
      binaries,
      runMode,
      clusterFolder,
      logFile,
      lockFd: lock.fd,
      settings: { ...settings(), ...archiving, ...options.settings },
    }
    return await serve({ postgres: await startReady(launch, options), runMode, logFile, lock, options })
  } catch (error) {
    await logFile.close()
    throw error
  }
}

async function startReady(launch: Launch, { archive, log }: EmbeddedOptions): Promise<Postgres> {
  const connection = connectionTo(launch.clusterFolder)
  const begin = (): Promise<Postgres> => launchReady(launch, log, () => refreshCollations(connection, log))
  const postgres = await begin()
  if (archive === undefined || (await mayBackUp(connection))) return postgres
  await postgres.stop()
  await grantBackupFunctions(launch)
  return begin()
}

interface Service {
  readonly postgres: Postgres
  readonly runMode: VerifiedRunMode
  readonly logFile: LogFile
  readonly lock: Lock
  readonly options: EmbeddedOptions
}

async function serve({ postgres, runMode, logFile, lock, options }: Service): Promise<Embedded> {
  const clusterFolder = clusterFolderOf(options.dataFolder)
  const connection = connectionTo(clusterFolder)
  let stopping: Promise<void> | undefined
  const ended = postgres.exited.then(async (how) => {
    const lines = await logFile.tail()
    await logFile.close()
    await lock.release()
    if (stopping === undefined)
      options.onExit(`the embedded database exited unexpectedly (${how}); the end of its log:\n${lines}`)
  })
  const stop = (): Promise<void> => {
    stopping ??= postgres.stop().then(() => ended)
    return stopping
  }
  options.log.info(
    { databasePid: postgres.pid, runMode: runMode.name, host: connection.host },
    'the embedded database is ready',
  )
  return { connection, pid: postgres.pid, majorVersion: runMode.majorVersion, stop }
}

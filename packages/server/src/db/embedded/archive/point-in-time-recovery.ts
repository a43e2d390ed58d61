import { existsSync } from 'node:fs'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { syncFolder } from '../../../lib/private-file.ts'
import { type Binaries, findBinaries } from '../binaries.ts'
import {
  assertOwnership,
  assertSameMajorVersion,
  clusterFolderOf,
  recoveringFolderOf,
} from '../cluster/cluster-folder.ts'
import { giveLockToFolderOwner } from '../cluster/prepare-cluster.ts'
import { connectionTo, type EmbeddedConnection } from '../connection.ts'
import { EmbeddedError } from '../embedded-error.ts'
import type { EmbeddedLog } from '../embedded-log.ts'
import { explainFailure } from '../explain-failure.ts'
import { launchReady } from '../launch-ready.ts'
import { type Lock, lockDataFolder } from '../lock.ts'
import { openLogFile } from '../log-file.ts'
import type { Launch } from '../postgres.ts'
import { findRunMode, isRoot } from '../privileges.ts'
import { settings } from '../settings.ts'
import { type RecoveryTarget, recoverySettings } from './archive-settings.ts'
import { moveClusterAside } from './move-cluster-aside.ts'

export interface Recovery<Result> {
  readonly dataFolder: string
  readonly log: EmbeddedLog
  /** The archive's folder. The recovery only reads it, because a running server may be using it. */
  readonly archive: string
  readonly target: RecoveryTarget
  readonly majorVersion: number
  /** Whether to rename an existing database folder, even if it contains no database. If false, none may exist. */
  readonly replace: boolean
  readonly copyBase: (folder: string) => Promise<void>
  /** Runs before the recovered database is moved into place. If it fails, an existing database remains unchanged. */
  readonly finish: (connection: EmbeddedConnection) => Promise<Result>
}

export interface Recovered<Result> {
  readonly result: Result
  /** The new path of the replaced database, or undefined if there was none. */
  readonly aside: string | undefined
}

/** Copies a base backup to a temporary folder, replays WAL up to the target, and then moves the folder into place. */
export async function recoverCluster<Result>(recovery: Recovery<Result>): Promise<Recovered<Result>> {
  const dataFolder = resolve(recovery.dataFolder)
  const clusterFolder = clusterFolderOf(dataFolder)
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 })
    const binaries = await findBinaries(dataFolder)
    const lock = await lockDataFolder({ dataFolder, clusterFolder, log: recovery.log })
    try {
      const isOccupied = existsSync(clusterFolder)
      if (isOccupied && !recovery.replace) throw notEmpty(clusterFolder)
      const result = await recoverInTemporaryFolder({ ...recovery, dataFolder }, binaries, lock)
      const aside = isOccupied ? await moveClusterAside(clusterFolder) : undefined
      await rename(recoveringFolderOf(clusterFolder), clusterFolder)
      await syncFolder(dataFolder)
      return { result, aside }
    } finally {
      await rm(recoveringFolderOf(clusterFolder), { recursive: true, force: true })
      if (isRoot()) await giveLockToFolderOwner(dataFolder)
      await lock.release()
    }
  } catch (error) {
    // Only system errors need an explanation, because the other errors of `copyBase` and `finish` explain themselves.
    throw isSystemError(error) ? await explainFailure(error, dataFolder) : error
  }
}

const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error

const notEmpty = (folder: string): EmbeddedError =>
  new EmbeddedError(
    'not-empty',
    existsSync(join(folder, 'PG_VERSION'))
      ? `${folder} already contains a database.`
      : `${folder} already exists, but it contains no database.`,
  )

async function recoverInTemporaryFolder<Result>(
  { dataFolder, log, archive, target, majorVersion, copyBase, finish }: Recovery<Result>,
  binaries: Binaries,
  lock: Lock,
): Promise<Result> {
  const clusterFolder = recoveringFolderOf(clusterFolderOf(dataFolder))
  const { uid, gid } = await stat(dataFolder)
  const runMode = await findRunMode({ folder: dataFolder, owner: { uid, gid }, isNew: false, binaries })
  assertSameMajorVersion(archive, majorVersion, runMode.majorVersion)
  await rm(clusterFolder, { recursive: true, force: true })
  await mkdir(clusterFolder, { mode: 0o700 })
  await copyBase(clusterFolder)
  await writeFile(join(clusterFolder, 'recovery.signal'), '', { mode: 0o600 })
  await assertOwnership(clusterFolder, { uid: process.getuid?.() ?? 0, gid }, runMode.owner)

  const logFile = await openLogFile(join(dataFolder, 'pg.log'))
  try {
    const launch: Launch = { binaries, runMode, clusterFolder, logFile, lockFd: lock.fd, settings: settings() }
    const start = (until: RecoveryTarget) =>
      launchReady({ ...launch, settings: { ...launch.settings, ...recoverySettings(archive, until) } }, log)
    // PostgreSQL fails if no commit follows the target time. In that case, the entire archive precedes the target and
    // can be replayed to its end.
    const postgres = await start(target).catch(async (error: unknown) => {
      if (target.time === undefined || !/recovery ended before configured recovery target/.test(await logFile.tail(40)))
        throw error
      return start({ ...target, time: undefined })
    })
    try {
      return await finish(connectionTo(clusterFolder))
    } finally {
      await postgres.stop()
    }
  } finally {
    await logFile.close()
  }
}

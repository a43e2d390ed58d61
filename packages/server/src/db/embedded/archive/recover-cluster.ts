import { existsSync } from 'node:fs'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { syncFolder } from '../../../lib/private-file.ts'
import { type Binaries, findBinaries } from '../binaries.ts'
import { assertOwnership, assertSameMajorVersion, clusterFolderOf, recoveringFolderOf } from '../cluster/cluster.ts'
import { leaveLockToFolderOwner } from '../cluster/prepare-cluster.ts'
import { connectionTo, type EmbeddedConnection } from '../connection.ts'
import { EmbeddedError } from '../embedded-error.ts'
import type { EmbeddedLog } from '../embedded-log.ts'
import { explainFailure } from '../explain-failure.ts'
import { launchReady } from '../launch-ready.ts'
import { type Lock, lockDataFolder } from '../lock.ts'
import { openLogFile } from '../log-file.ts'
import type { Launch } from '../postgres.ts'
import { findWay, isRoot } from '../privileges.ts'
import { settings } from '../settings.ts'
import { type RecoveryTarget, recoverySettings } from './archive-settings.ts'

export interface Recovery<Result> {
  readonly dataFolder: string
  readonly log: EmbeddedLog
  /** Read, never written: the archive may still be that of a server that runs. */
  readonly archive: string
  readonly target: RecoveryTarget
  /** PostgreSQL's major version that wrote the base backup. */
  readonly majorVersion: number
  /** Keeps a database that is in the data folder under another name. Without it the folder must have none. */
  readonly replace: boolean
  /** Puts the base backup into the folder. */
  readonly copyBase: (folder: string) => Promise<void>
  /** Works on the recovered database before it takes its place; an error leaves everything as it was. */
  readonly finish: (connection: EmbeddedConnection) => Promise<Result>
}

export interface Recovered<Result> {
  readonly result: Result
  /** Where the replaced database is now. */
  readonly aside: string | undefined
}

/** Recovers a base backup beside the database's place, and renames it as the last step. */
export async function recoverCluster<Result>(recovery: Recovery<Result>): Promise<Recovered<Result>> {
  const dataFolder = resolve(recovery.dataFolder)
  const clusterFolder = clusterFolderOf(dataFolder)
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 })
    const binaries = await findBinaries(dataFolder)
    const lock = await lockDataFolder({ dataFolder, clusterFolder, log: recovery.log })
    try {
      const isThere = existsSync(clusterFolder)
      if (isThere && !recovery.replace) throw notEmpty(clusterFolder)
      const result = await recoverAside({ ...recovery, dataFolder }, binaries, lock)
      const aside = isThere
        ? `${clusterFolder}-until-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
        : undefined
      if (aside !== undefined) await rename(clusterFolder, aside)
      await rename(recoveringFolderOf(clusterFolder), clusterFolder)
      await syncFolder(dataFolder)
      return { result, aside }
    } finally {
      await rm(recoveringFolderOf(clusterFolder), { recursive: true, force: true })
      if (isRoot()) await leaveLockToFolderOwner(dataFolder)
      await lock.release()
    }
  } catch (error) {
    // Errors of the work on the base backup and the database have a meaning of their own.
    throw isSystemError(error) ? await explainFailure(error, dataFolder) : error
  }
}

const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error

const notEmpty = (folder: string): EmbeddedError => new EmbeddedError('not-empty', `There is a database in ${folder}.`)

async function recoverAside<Result>(
  { dataFolder, log, archive, target, majorVersion, copyBase, finish }: Recovery<Result>,
  binaries: Binaries,
  lock: Lock,
): Promise<Result> {
  const clusterFolder = recoveringFolderOf(clusterFolderOf(dataFolder))
  const { uid, gid } = await stat(dataFolder)
  const way = await findWay({ folder: dataFolder, owner: { uid, gid }, isNew: false, binaries })
  assertSameMajorVersion(archive, majorVersion, way.majorVersion)
  await rm(clusterFolder, { recursive: true, force: true })
  await mkdir(clusterFolder, { mode: 0o700 })
  await copyBase(clusterFolder)
  await writeFile(join(clusterFolder, 'recovery.signal'), '', { mode: 0o600 })
  await assertOwnership(clusterFolder, { uid: process.getuid?.() ?? 0, gid }, way.owner)

  const logFile = await openLogFile(join(dataFolder, 'pg.log'))
  try {
    const launch: Launch = { binaries, way, clusterFolder, logFile, lockFd: lock.fd, settings: settings() }
    const start = (until: RecoveryTarget) =>
      launchReady({ ...launch, settings: { ...launch.settings, ...recoverySettings(archive, until) } }, log)
    // PostgreSQL demands a commit after the target. On a quiet database there is none: then everything is before the target.
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

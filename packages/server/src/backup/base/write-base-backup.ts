import { mkdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { archivesTo } from '../../db/embedded/archive/archive-settings.ts'
import { readSystemIdentifier } from '../../db/embedded/archive/prepare-archive.ts'
import { compressedName, walFolderOf } from '../../db/embedded/archive/wal-archive.ts'
import { parseLsn, segmentName, segmentOf } from '../../db/embedded/archive/wal-names.ts'
import { clusterFolderOf, findCluster } from '../../db/embedded/cluster/cluster-folder.ts'
import { changeOwner, isRoot } from '../../db/embedded/privileges.ts'
import { exists } from '../../lib/exists.ts'
import { syncFolder } from '../../lib/private-file.ts'
import { version } from '../../version.ts'
import { BackupError } from '../backup-error.ts'
import { createThrottle } from '../byte-throttle.ts'
import {
  type StartedBackup,
  type StoppedBackup,
  selectArchiveCommand,
  selectArchiveFailure,
  startBackup,
  stopBackup,
  tryBackupLock,
} from './base-backup.queries.ts'
import { type ClusterFiles, listClusterFiles } from './cluster-files.ts'
import { copyCluster } from './copy-files.ts'
import {
  type BaseBackup,
  baseFolderOf,
  type CopiedFile,
  dataFolderOf,
  FORMAT,
  type Manifest,
  writeManifest,
} from './manifest.ts'
import { pruneArchive, removeUnfinished } from './prune-archive.ts'

export interface BaseBackupOptions {
  /** The connection to the embedded database, which must be running. */
  connection: pg.ClientConfig
  dataFolder: string
  archive: string
  /** The number of base backups to keep in the archive, including the new one. */
  keep: number
  /** The maximum number of bytes to read per second. 0 means no limit. */
  rate: number
  /** Whether to perform the initial checkpoint immediately. Otherwise, PostgreSQL spreads it over minutes. */
  fast: boolean
  signal?: AbortSignal | undefined
  /** Called with the number of bytes copied so far and the estimated total. */
  onProgress?: (done: number, total: number) => void
}

export interface WrittenBaseBackup extends BaseBackup {
  /** The names of the older base backups that were removed. */
  removed: string[]
}

/**
 * Writes a base backup. Also removes unfinished and old base backups, and the WAL that is no longer needed. Throws a
 * BackupError in these cases:
 *
 * - The database does not or cannot archive its WAL in `archive`.
 * - A file of the database is a symbolic link.
 * - Another backup is running.
 * - Old base backups or WAL could not be removed. The new backup then remains.
 *
 * After any other failure, none of the new backup's files remain.
 */
export async function writeBaseBackup(options: BaseBackupOptions): Promise<WrittenBaseBackup> {
  const { connection, archive, keep, signal } = options
  const client = new pg.Client({ ...connection, application_name: 'muster backup' })
  // Without a listener, an `error` event would end the process. If the connection breaks, the query in flight rejects.
  client.on('error', () => {})
  const end = (): void => void client.end().catch(() => {})
  signal?.throwIfAborted()
  await client.connect()
  signal?.addEventListener('abort', end)
  try {
    await assertArchiving(client, archive)
    if (!(await tryBackupLock(client)))
      throw new BackupError('busy', 'Another backup is running: try again when it has ended.')
    await removeUnfinished(archive)
    const backup = await copyToArchive(client, options)
    const removed = await pruneArchive(archive, keep).catch((error: Error) => {
      const message = `The base backup ${backup.folder} is complete, but removing old files from the archive failed: ${error.message}`
      throw new BackupError('not-pruned', message, { cause: error })
    })
    return { ...backup, removed }
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', end)
    end()
  }
}

async function assertArchiving(client: pg.ClientBase, archive: string): Promise<void> {
  const command = await selectArchiveCommand(client)
  if (command !== undefined && archivesTo(command, archive)) return
  const what = command === undefined ? 'does not archive its write-ahead log' : 'archives to another folder'
  throw new BackupError(
    'not-archiving',
    `The running database ${what}: restart the server with MUSTER_ARCHIVE_DIR=${archive}.`,
  )
}

async function copyToArchive(client: pg.ClientBase, options: BaseBackupOptions): Promise<BaseBackup> {
  const { archive } = options
  const name = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const folder = join(baseFolderOf(archive), name)
  await mkdir(baseFolderOf(archive), { recursive: true, mode: 0o700 })
  // Fails if a backup has this name, so that the following code never removes another backup.
  await mkdir(folder, { mode: 0o700 })
  try {
    const manifest = await copyToFolder(client, folder, options)
    await syncFolder(baseFolderOf(archive))
    return { name, folder, manifest }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function copyToFolder(
  client: pg.ClientBase,
  folder: string,
  { dataFolder, archive, rate, fast, signal, onProgress }: BaseBackupOptions,
): Promise<Manifest> {
  await mkdir(dataFolderOf(folder), { mode: 0o700 })
  const start = await startBackup(client, `muster ${basename(folder)}`, fast)

  const clusterFolder = clusterFolderOf(dataFolder)
  const listed = await listClusterFiles(clusterFolder)
  const total = await totalBytes(clusterFolder, listed)
  const throttle = createThrottle(rate, signal)
  for (const path of listed.folders) await mkdir(join(dataFolderOf(folder), path), { recursive: true, mode: 0o700 })
  // If this process is killed, the owner of the archive must be able to remove the folders.
  await giveToOwner(archive)
  let done = 0
  const onBytes = async (bytes: number): Promise<void> => {
    done += bytes
    onProgress?.(Math.min(done, total), total)
    await throttle(bytes)
  }
  const copied = await copyCluster(clusterFolder, dataFolderOf(folder), listed, onBytes)
  const stopped = await stopBackup(client)
  await waitForArchive(client, archive, stopped, signal)
  await giveToOwner(archive)
  await syncFolder(folder)
  return finishManifest({ clusterFolder, folder, start, stopped, listed, copied })
}

/**
 * As root, makes the owner of the archive the owner of all base backups. Otherwise, a server that runs as that user could
 * not read or remove them. Ignores errors, because root may lack the capability to change owners.
 */
async function giveToOwner(archive: string): Promise<void> {
  if (!isRoot()) return
  await changeOwner(baseFolderOf(archive), await stat(archive))
}

async function totalBytes(clusterFolder: string, { files }: ClusterFiles): Promise<number> {
  let total = 0
  for (const path of files) {
    total += await stat(join(clusterFolder, path)).then(
      ({ size }) => size,
      () => 0,
    )
  }
  return total
}

/**
 * Waits until the WAL that was written during the backup is archived. Without this WAL, the backup cannot be restored.
 */
async function waitForArchive(
  client: pg.ClientBase,
  archive: string,
  { stopLsn, label }: StoppedBackup,
  signal: AbortSignal | undefined,
): Promise<void> {
  const name = segmentName(timelineIn(label), segmentOf(parseLsn(stopLsn) - 1n))
  const file = join(walFolderOf(archive), compressedName(name))
  let failures = 0
  while (!(await exists(file))) {
    failures = (await selectArchiveFailure(client)) === undefined ? 0 : failures + 1
    if (failures === MAX_FAILURES) {
      throw new BackupError(
        'not-archiving',
        `The write-ahead log cannot be archived in ${archive}. See the end of pg.log in MUSTER_DATA for the reason.`,
      )
    }
    await sleep(POLL_MS, undefined, { signal })
  }
}

const POLL_MS = 250
/**
 * The backup fails if this many consecutive polls, over about ten seconds, find that archiving is failing. PostgreSQL
 * makes three attempts, one second apart, and then pauses for a minute.
 */
const MAX_FAILURES = 40

function timelineIn(label: string): number {
  const timeline = Number(/^START TIMELINE: (\d+)$/m.exec(label)?.[1])
  if (!(timeline > 0))
    throw new Error(`the backup label must contain a line such as "START TIMELINE: 1", but is: ${label}`)
  return timeline
}

interface Finished {
  clusterFolder: string
  folder: string
  start: StartedBackup
  stopped: StoppedBackup
  listed: ClusterFiles
  copied: CopiedFile[]
}

async function finishManifest({ clusterFolder, folder, start, stopped, listed, copied }: Finished) {
  const cluster = await findCluster(clusterFolder)
  const manifest = {
    muster: 'base backup' as const,
    format: FORMAT,
    release: version,
    postgres: cluster!.majorVersion,
    systemIdentifier: await readSystemIdentifier(clusterFolder),
    started: start.started.toISOString(),
    ended: stopped.ended.toISOString(),
    timeline: timelineIn(stopped.label),
    startLsn: start.startLsn,
    stopLsn: stopped.stopLsn,
    bytes: copied.reduce((sum, { bytes }) => sum + bytes, 0),
    backupLabel: stopped.label,
    folders: listed.folders,
    files: copied,
  }
  await writeManifest(folder, manifest)
  return manifest
}

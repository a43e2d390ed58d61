import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from '../../../lib/exists.ts'
import { noneIfMissing } from '../../../lib/none-if-missing.ts'
import { EmbeddedError, systemCode, useDatabaseUrl } from '../embedded-error.ts'
import { wrongOwner } from '../explain-failure.ts'
import { changeOwner, isRoot, type UserId } from '../privileges.ts'

export const role = 'muster'
export const database = 'muster'

/** Single-user mode requires the statement to be on one line. */
export const grantBackup = `GRANT EXECUTE ON FUNCTION pg_backup_start(text, boolean), pg_backup_stop(boolean) TO ${role};`

export const clusterFolderOf = (dataFolder: string): string => join(dataFolder, 'pg')

/** The folder in which a point-in-time restore assembles a cluster before it moves the cluster into place. */
export const recoveringFolderOf = (clusterFolder: string): string => `${clusterFolder}.recovering`

export interface Cluster {
  readonly owner: UserId
  readonly majorVersion: number
}

/**
 * Returns the cluster in the folder, or undefined before the first start. If there is no cluster, throws if the folder
 * contains files, or if a restore has not finished.
 */
export async function findCluster(clusterFolder: string): Promise<Cluster | undefined> {
  const found = await readCluster(clusterFolder)
  if (found !== undefined) return found
  if (await containsFiles(clusterFolder)) {
    // Another process may have moved a complete cluster into place after the first read.
    const created = await readCluster(clusterFolder)
    if (created !== undefined) return created
    // These files may be a user's data or a damaged database, so the server must not overwrite them.
    throw new EmbeddedError(
      'start-failed',
      `${clusterFolder} contains files but no PG_VERSION: it is not a database, or it is damaged. Restore it from a backup, ` +
        `or move it elsewhere to start with an empty database. ${useDatabaseUrl}`,
    )
  }
  await assertNotRecovering(clusterFolder)
  return undefined
}

async function readCluster(clusterFolder: string): Promise<Cluster | undefined> {
  try {
    const { uid, gid } = await stat(clusterFolder)
    const version = await readFile(join(clusterFolder, 'PG_VERSION'), 'utf8')
    return { owner: { uid, gid }, majorVersion: Number.parseInt(version, 10) }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

const containsFiles = async (folder: string): Promise<boolean> =>
  (await readdir(folder).catch(noneIfMissing)).length > 0

/** Throws if a restore is running or was interrupted, because the server must not create an empty database instead. */
async function assertNotRecovering(clusterFolder: string): Promise<void> {
  const folder = recoveringFolderOf(clusterFolder)
  if (!(await exists(folder))) return
  throw new EmbeddedError(
    'start-failed',
    `A restore into ${clusterFolder} has not finished. If it is no longer running, run "muster restore --to" again, or ` +
      `remove ${folder} to start with an empty database.`,
  )
}

export function assertSameMajorVersion(folder: string, found: number, ours: number): void {
  if (found === ours) return
  throw new EmbeddedError(
    'wrong-major-version',
    `${folder} was written by PostgreSQL ${found}, but this release of Muster includes PostgreSQL ${ours}, which cannot read ` +
      `it. Use the release that wrote it. To change to this release, make a backup with that release (muster backup), and ` +
      `restore the backup with this release into another MUSTER_DATA (muster restore). ${useDatabaseUrl}`,
  )
}

/**
 * Throws if the folder's owner is not `wanted`. As root, changes the owner instead, and throws only if the change
 * fails. The change is necessary if root ran PostgreSQL as a different user before, or if root copied a base backup.
 */
export async function assertOwnership(folder: string, found: UserId, wanted: UserId): Promise<void> {
  if (found.uid === wanted.uid) return
  if (isRoot()) {
    const { code, output, failure } = await changeOwner(folder, wanted)
    if (code === 0) return
    throw wrongOwner(folder, `it belongs to user ${found.uid}, and the owner could not be changed to ${wanted.uid}`, {
      cause: failure ?? new Error(output),
    })
  }
  throw wrongOwner(folder, `it belongs to user ${found.uid}`)
}

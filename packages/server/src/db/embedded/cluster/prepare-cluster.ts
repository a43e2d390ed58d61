import { lchown, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Binaries } from '../binaries.ts'
import type { EmbeddedLog } from '../embedded-log.ts'
import type { Lock } from '../lock.ts'
import { findRunMode, isRoot, type VerifiedRunMode } from '../privileges.ts'
import {
  assertOwnership,
  assertSameMajorVersion,
  type Cluster,
  clusterFolderOf,
  createCluster,
  findCluster,
} from './cluster-folder.ts'

interface Preparation {
  readonly dataFolder: string
  readonly binaries: Binaries
  readonly lock: Lock
  readonly log: EmbeddedLog
}

export async function prepareCluster({ dataFolder, binaries, lock, log }: Preparation): Promise<VerifiedRunMode> {
  const clusterFolder = clusterFolderOf(dataFolder)
  const cluster = await findCluster(clusterFolder)
  if (!isRoot() && cluster !== undefined) await assertOwnership(clusterFolder, cluster.owner, { uid: userId(), gid: 0 })

  const runMode = await findRunMode({ ...(await findConditions(dataFolder, cluster)), binaries })
  await warnOfLimitations(runMode, dataFolder, log)
  if (cluster === undefined) {
    log.info({ clusterFolder, runMode: runMode.name }, 'creating the embedded database')
    await createCluster({ clusterFolder, binaries, runMode, lockFd: lock.fd })
  } else {
    assertSameMajorVersion(clusterFolder, cluster.majorVersion, runMode.majorVersion)
    await assertOwnership(clusterFolder, cluster.owner, runMode.owner)
  }
  if (isRoot()) await giveLockToFolderOwner(dataFolder)
  await removeStaleFiles(clusterFolder)
  return runMode
}

const userId = (): number => process.getuid?.() ?? 0

/** If possible, a new cluster belongs to the data folder's owner, so that root and that user can start the server. */
async function findConditions(dataFolder: string, cluster: Cluster | undefined) {
  if (cluster !== undefined) return { folder: clusterFolderOf(dataFolder), owner: cluster.owner, isNew: false }
  const { uid, gid } = await stat(dataFolder)
  return { folder: dataFolder, owner: { uid, gid }, isNew: true }
}

export async function giveLockToFolderOwner(dataFolder: string): Promise<void> {
  const { uid, gid } = await stat(dataFolder)
  for (const name of ['lock', 'pg.log', 'pg.log.1']) {
    // Root may lack the capability to change owners. The server can start without this change.
    await lchown(join(dataFolder, name), uid, gid).catch(() => {})
  }
}

async function warnOfLimitations(runMode: VerifiedRunMode, dataFolder: string, log: EmbeddedLog): Promise<void> {
  if (runMode.prefix.length === 0 && process.platform === 'linux') {
    log.warn(
      {},
      'setpriv is not available, so if this server is killed, its database continues to run until the next start: install util-linux',
    )
  }
  const { uid } = runMode.owner
  if (isRoot() && uid !== 0 && ((await stat(dataFolder)).mode & 0o011) !== 0) {
    log.warn(
      { dataFolder, uid },
      'other processes of the user who runs the database can read the database files: run chmod 700 on the data folder',
    )
  }
}

/**
 * PostgreSQL refuses to start if the process ID in these files now belongs to another process. The lock on the data
 * folder ensures that no database is running in this folder.
 */
async function removeStaleFiles(clusterFolder: string): Promise<void> {
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) await rm(join(clusterFolder, name), { force: true })
}

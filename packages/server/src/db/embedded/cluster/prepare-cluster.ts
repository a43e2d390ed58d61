import { lchown, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Binaries } from '../binaries.ts'
import type { EmbeddedLog } from '../embedded-log.ts'
import type { Lock } from '../lock.ts'
import { type FoundWay, findWay, isRoot } from '../privileges.ts'
import {
  assertOwnership,
  assertSameMajorVersion,
  type Cluster,
  clusterFolderOf,
  createCluster,
  findCluster,
} from './cluster.ts'

interface Preparation {
  readonly dataFolder: string
  readonly binaries: Binaries
  readonly lock: Lock
  readonly log: EmbeddedLog
}

/** After it the cluster is there, whole, of our version, and belongs to the user who is going to run it. */
export async function prepareCluster({ dataFolder, binaries, lock, log }: Preparation): Promise<FoundWay> {
  const clusterFolder = clusterFolderOf(dataFolder)
  const cluster = await findCluster(clusterFolder)
  if (!isRoot() && cluster !== undefined) await assertOwnership(clusterFolder, cluster.owner, { uid: userId(), gid: 0 })

  const way = await findWay({ ...(await placesOf(dataFolder, cluster)), binaries })
  await warnOfLosses(way, dataFolder, log)
  if (cluster === undefined) {
    log.info({ clusterFolder, way: way.name }, 'creating the embedded database')
    await createCluster({ clusterFolder, binaries, way, lockFd: lock.fd })
  } else {
    assertSameMajorVersion(clusterFolder, cluster.majorVersion, way.majorVersion)
    await assertOwnership(clusterFolder, cluster.owner, way.owner)
  }
  if (isRoot()) await leaveLockToFolderOwner(dataFolder)
  await removeStaleFiles(clusterFolder)
  return way
}

const userId = (): number => process.getuid?.() ?? 0

/** A new cluster goes to the owner of the data folder, so that root and that user can take turns. */
async function placesOf(dataFolder: string, cluster: Cluster | undefined) {
  if (cluster !== undefined) return { folder: clusterFolderOf(dataFolder), owner: cluster.owner, isNew: false }
  const { uid, gid } = await stat(dataFolder)
  return { folder: dataFolder, owner: { uid, gid }, isNew: true }
}

export async function leaveLockToFolderOwner(dataFolder: string): Promise<void> {
  const { uid, gid } = await stat(dataFolder)
  for (const name of ['lock', 'pg.log', 'pg.log.1']) {
    // Only a convenience for that user, and none where root lacks the capability.
    await lchown(join(dataFolder, name), uid, gid).catch(() => {})
  }
}

async function warnOfLosses(way: FoundWay, dataFolder: string, log: EmbeddedLog): Promise<void> {
  if (way.prefix.length === 0 && process.platform === 'linux') {
    log.warn({}, 'no setpriv here: if this server is killed, its database goes on until the next start')
  }
  const { uid } = way.owner
  if (isRoot() && uid !== 0 && ((await stat(dataFolder)).mode & 0o011) !== 0) {
    log.warn({ dataFolder, uid }, 'the database runs as another user, who can read it: chmod 700 the data folder')
  }
}

/**
 * After a crash these name a process id that may by now be anybody's, and PostgreSQL would refuse to start. Under the
 * lock, of whichever kind, no database of this folder lives any more.
 */
async function removeStaleFiles(clusterFolder: string): Promise<void> {
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) await rm(join(clusterFolder, name), { force: true })
}

import { constants } from 'node:fs'
import { chown, lchown, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { syncFolder } from '../../../lib/private-file.ts'
import type { Binaries } from '../binaries.ts'
import { EmbeddedError, useDatabaseUrl } from '../embedded-error.ts'
import type { EmbeddedLog } from '../embedded-log.ts'
import { adviceOn } from '../explain-failure.ts'
import type { Lock } from '../lock.ts'
import { lastLines } from '../log-file.ts'
import { findRunMode, isRoot, type VerifiedRunMode } from '../privileges.ts'
import { type Finished, runCommand } from '../run-command.ts'
import {
  assertOwnership,
  assertSameMajorVersion,
  type Cluster,
  clusterFolderOf,
  database,
  findCluster,
  grantBackup,
  role,
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
    // A file may be missing, or root may lack the capability to change owners. The server can start in both cases.
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
  // In the mode `set-user-plain`, the database's user may be able to enter the folder only with these permissions.
  if (runMode.name === 'set-user' && ((await stat(dataFolder)).mode & 0o011) !== 0) {
    log.warn(
      { dataFolder, uid: runMode.owner.uid },
      'other processes of the user who runs the database can read the database files: run chmod 700 on the data folder',
    )
  }
}

interface Creation {
  readonly clusterFolder: string
  readonly binaries: Binaries
  readonly runMode: VerifiedRunMode
  readonly lockFd: number | undefined
}

/** Creates a cluster and renames its folder at the end, so a cluster with the final name is always complete. */
async function createCluster({ clusterFolder, binaries, runMode, lockFd }: Creation): Promise<void> {
  const unfinished = `${clusterFolder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  if (process.getuid?.() !== runMode.owner.uid) await chown(unfinished, runMode.owner.uid, runMode.owner.gid)

  const run = async (program: string, args: readonly string[], input = ''): Promise<void> => {
    const command = [...runMode.prefix, program, ...args]
    const finished = await runCommand(command, { cwd: join(clusterFolder, '..'), env: binaries.env, lockFd, input })
    if (finished.code !== 0) throw initFailed(clusterFolder, basename(program), finished)
  }
  await run(binaries.initdb, ['-D', unfinished, ...initdbArguments])
  await run(binaries.postgres, ['--single', '-D', unfinished, ...singleUserArguments, 'template1'], roleAndDatabase)
  await writeFile(join(unfinished, 'pg_hba.conf'), hbaRules, {
    flag: constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW,
  })
  await run(binaries.initdb, ['-D', unfinished, '--sync-only'])

  await rename(unfinished, clusterFolder)
  await syncFolder(join(clusterFolder, '..'))
}

/** Strings sort by code point, so their order is the same on every machine. */
const initdbArguments = [
  '--username=postgres',
  '--auth=reject',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
  // One sync at the end is enough. It also covers the files that are written after initdb.
  '--no-sync',
]

const singleUserArguments = ['-c', 'fsync=off', '-c', 'exit_on_error=on', '-c', 'log_checkpoints=off']

/**
 * PostgreSQL runs these statements in single-user mode, so the superuser never needs the right to connect. With
 * CREATEDB, the role can copy only its own databases and templates. The role owns und-x-icu, so it can refresh the
 * version of this collation after an ICU update. The statements run in template1, so that each new database, which is a
 * copy of template1, includes the grant on the backup functions.
 */
const roleAndDatabase = `
CREATE ROLE ${role} LOGIN NOSUPERUSER CREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
ALTER COLLATION pg_catalog."und-x-icu" OWNER TO ${role};
${grantBackup}
CREATE DATABASE ${database} OWNER ${role};
`

const hbaRules = `# The socket is in this folder. Only the folder's owner may enter it, which authenticates clients.
# The superuser cannot connect.
local  all  ${role}  trust
`

function initFailed(clusterFolder: string, program: string, { code, output, failure }: Finished): EmbeddedError {
  const reason = failure?.message ?? (lastLines(output, 12) || `exit code ${code}`)
  return new EmbeddedError(
    'init-failed',
    `The database could not be created in ${clusterFolder}. ${program} reported:\n${reason}\n` +
      `${adviceOn(reason)}The next start tries again from the beginning. ${useDatabaseUrl}`,
    { cause: failure },
  )
}

/**
 * PostgreSQL refuses to start if the process ID in these files now belongs to another process. The lock on the data
 * folder ensures that no database is running in this folder.
 */
async function removeStaleFiles(clusterFolder: string): Promise<void> {
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) await rm(join(clusterFolder, name), { force: true })
}

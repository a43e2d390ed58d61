import { constants } from 'node:fs'
import { chown, lchown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { syncFolder } from '../../../lib/private-file.ts'
import type { Binaries } from '../binaries.ts'
import { EmbeddedError, systemCode, useDatabaseUrl } from '../embedded-error.ts'
import { adviceOn, wrongOwner } from '../explain-failure.ts'
import { lastLines } from '../log-file.ts'
import type { UserId, VerifiedRunMode } from '../privileges.ts'
import { type Finished, runCommand } from '../run-command.ts'

export const role = 'muster'
export const database = 'muster'

export const clusterFolderOf = (dataFolder: string): string => join(dataFolder, 'pg')

/** The folder in which a point-in-time restore assembles a cluster before it moves the cluster into place. */
export const recoveringFolderOf = (clusterFolder: string): string => `${clusterFolder}.recovering`

export interface Cluster {
  readonly owner: UserId
  readonly majorVersion: number
}

/**
 * Returns the cluster in the folder, or undefined before the first start. If there is no cluster, throws if the folder
 * contains files, or if a restore did not finish.
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

async function containsFiles(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length > 0
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}

/** Throws if a restore is running or was interrupted, because the server must not create an empty database instead. */
async function assertNotRecovering(clusterFolder: string): Promise<void> {
  const folder = recoveringFolderOf(clusterFolder)
  const exists = await stat(folder).then(
    () => true,
    () => false,
  )
  if (!exists) return
  throw new EmbeddedError(
    'start-failed',
    `A restore into ${clusterFolder} did not finish. Run "muster restore --to" again, or remove ${folder} to start with an ` +
      'empty database.',
  )
}

export function assertSameMajorVersion(folder: string, found: number, ours: number): void {
  if (found === ours) return
  throw new EmbeddedError(
    'wrong-major-version',
    `${folder} was written by PostgreSQL ${found}, but this release of Muster includes PostgreSQL ${ours}, which cannot read ` +
      `it. Go back to the release that wrote it, make a backup with that release (muster backup), and restore it with this ` +
      `release into another MUSTER_DATA (muster restore). ${useDatabaseUrl}`,
  )
}

/**
 * Throws if the owner is wrong. As root, changes the owner instead, and throws only if the change fails. The change is
 * necessary if root ran PostgreSQL as a different user before.
 */
export async function assertOwnership(folder: string, found: UserId, wanted: UserId): Promise<void> {
  if (found.uid === wanted.uid) return
  if (process.getuid?.() === 0) {
    try {
      for (const entry of await readdir(folder, { recursive: true })) {
        await lchown(join(folder, entry), wanted.uid, wanted.gid)
      }
      await chown(folder, wanted.uid, wanted.gid)
      return
    } catch (error) {
      throw wrongOwner(folder, `it belongs to user ${found.uid}, and the owner could not be changed to ${wanted.uid}`, {
        cause: error,
      })
    }
  }
  throw wrongOwner(folder, `it belongs to user ${found.uid}`)
}

interface Creation {
  readonly clusterFolder: string
  readonly binaries: Binaries
  readonly runMode: VerifiedRunMode
  readonly lockFd: number | undefined
}

/** Creates a cluster and renames its folder at the end, so a cluster with the final name is always complete. */
export async function createCluster({ clusterFolder, binaries, runMode, lockFd }: Creation): Promise<void> {
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

/** Single-user mode requires the statement to be on one line. */
export const grantBackup = `GRANT EXECUTE ON FUNCTION pg_backup_start(text, boolean), pg_backup_stop(boolean) TO ${role};`

/**
 * PostgreSQL runs these statements in single-user mode, so the superuser never needs the right to connect. With
 * CREATEDB, the role can copy only its own databases and templates. The role owns und-x-icu, so it can refresh the
 * version of this collation after an ICU update. The grant is made in template1, because new databases copy it.
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

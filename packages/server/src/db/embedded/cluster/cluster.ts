import { constants } from 'node:fs'
import { chown, lchown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Binaries } from '../binaries.ts'
import { EmbeddedError, systemCode, useDatabaseUrl } from '../embedded-error.ts'
import { adviceOn, wrongOwner } from '../explain-failure.ts'
import { lastLines } from '../log-file.ts'
import type { FoundWay, UserId } from '../privileges.ts'
import { type Finished, runCommand } from '../run-command.ts'

export const role = 'muster'
export const database = 'muster'

/** The folder of PostgreSQL inside the data folder. */
export const clusterFolderOf = (dataFolder: string): string => join(dataFolder, 'pg')

/** Where a restore to a point in time puts a cluster together, beside its place. */
export const recoveringFolderOf = (clusterFolder: string): string => `${clusterFolder}.recovering`

export interface Cluster {
  readonly owner: UserId
  readonly majorVersion: number
}

/** What stands in the folder, undefined before the first start. */
export async function findCluster(clusterFolder: string): Promise<Cluster | undefined> {
  try {
    const { uid, gid } = await stat(clusterFolder)
    const version = await readFile(join(clusterFolder, 'PG_VERSION'), 'utf8')
    return { owner: { uid, gid }, majorVersion: Number.parseInt(version, 10) }
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    await assertEmpty(clusterFolder)
    await assertNotRecovering(clusterFolder)
    return undefined
  }
}

/** Perhaps somebody's data, damaged or never ours: nothing is to be written over it. */
async function assertEmpty(folder: string): Promise<void> {
  try {
    if ((await readdir(folder)).length === 0) return
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw error
  }
  throw new EmbeddedError(
    'start-failed',
    `${folder} holds files but no PG_VERSION: it is no database, or a damaged one. Restore it from a backup, or move it ` +
      `away to begin with an empty database. ${useDatabaseUrl}`,
  )
}

/** An empty database must not take the place of one that is being restored. */
async function assertNotRecovering(clusterFolder: string): Promise<void> {
  const folder = recoveringFolderOf(clusterFolder)
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  )
  if (!isThere) return
  throw new EmbeddedError(
    'start-failed',
    `A restore into ${clusterFolder} did not finish. Run "muster restore --to" again, or remove ${folder} to begin with an ` +
      'empty database.',
  )
}

export function assertSameMajorVersion(folder: string, found: number, ours: number): void {
  if (found === ours) return
  throw new EmbeddedError(
    'wrong-major-version',
    `${folder} was written by PostgreSQL ${found}, and this Muster brings PostgreSQL ${ours}, which cannot read it. Go ` +
      `back to the Muster that wrote it, make a backup with that one (muster backup), and restore it with this one into ` +
      `another MUSTER_DATA (muster restore). ${useDatabaseUrl}`,
  )
}

/** Under root the files may have come from another way of giving up root; PostgreSQL insists on owning them. */
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
      throw wrongOwner(folder, `it belongs to user ${found.uid} and could not be given to ${wanted.uid}`, {
        cause: error,
      })
    }
  }
  throw wrongOwner(folder, `it belongs to user ${found.uid}`)
}

interface Creation {
  readonly clusterFolder: string
  readonly binaries: Binaries
  readonly way: FoundWay
  readonly lockFd: number | undefined
}

/** Made beside its place and renamed as the last step: what bears the right name is whole. */
export async function createCluster({ clusterFolder, binaries, way, lockFd }: Creation): Promise<void> {
  const unfinished = `${clusterFolder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  if (process.getuid?.() !== way.owner.uid) await chown(unfinished, way.owner.uid, way.owner.gid)

  const run = async (program: string, args: readonly string[], input = ''): Promise<void> => {
    const command = [...way.prefix, program, ...args]
    const finished = await runCommand(command, { cwd: join(clusterFolder, '..'), env: binaries.env, lockFd, input })
    if (finished.code !== 0) throw initFailed(clusterFolder, basename(program), finished)
  }
  await run(binaries.initdb, ['-D', unfinished, ...initdbArguments])
  await run(binaries.postgres, ['--single', '-D', unfinished, ...singleUserArguments, 'template1'], roleAndDatabase)
  await writeFile(join(unfinished, 'pg_hba.conf'), doors, {
    flag: constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW,
  })
  await run(binaries.initdb, ['-D', unfinished, '--sync-only'])

  await rename(unfinished, clusterFolder)
  await syncFolder(join(clusterFolder, '..'))
}

/** The same order on every machine: code points. Texts that want a language's order name their collation. */
const initdbArguments = [
  '--username=postgres',
  '--auth=reject',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
  // One sync at the end covers what is written after initdb too.
  '--no-sync',
]

const singleUserArguments = ['-c', 'fsync=off', '-c', 'exit_on_error=on', '-c', 'log_checkpoints=off']

/**
 * Lets the role take base backups. A line of SQL for single-user mode; the grants count for the database in which they are
 * made, and for copies of it.
 */
export const grantBackup = `GRANT EXECUTE ON FUNCTION pg_backup_start(text, boolean), pg_backup_stop(boolean) TO ${role};`

/**
 * Done without a connection, so that no door is ever open for the superuser. CREATEDB only lets the role copy databases
 * of its own. It owns und-x-icu so that it may mark it as refreshed after a change of ICU. New databases copy template1
 * with the grants made there.
 */
const roleAndDatabase = `
CREATE ROLE ${role} LOGIN NOSUPERUSER CREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
ALTER COLLATION pg_catalog."und-x-icu" OWNER TO ${role};
${grantBackup}
CREATE DATABASE ${database} OWNER ${role};
`

const doors = `# The socket stands in this folder, which only its owner may enter: that is the authentication.
# The superuser cannot connect at all.
local  all  ${role}  trust
`

/** fsync(2): a rename is on disk once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function initFailed(clusterFolder: string, program: string, { code, output, failure }: Finished): EmbeddedError {
  const said = failure?.message ?? (lastLines(output, 12) || `exit code ${code}`)
  return new EmbeddedError(
    'init-failed',
    `The database could not be created in ${clusterFolder}; ${program} said:\n${said}\n` +
      `${adviceOn(said)}The next start begins afresh. ${useDatabaseUrl}`,
    { cause: failure },
  )
}

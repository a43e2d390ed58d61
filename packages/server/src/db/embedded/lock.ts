import { close, constants, ftruncate, open } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { EmbeddedError, systemCode, useDatabaseUrl } from './embedded-error.ts'
import type { EmbeddedLog } from './embedded-log.ts'
import { isPostgresOf, processIdentity } from './process-identity.ts'
import { runCommand } from './run-command.ts'

export interface Lock {
  /**
   * Given to PostgreSQL, whose processes hold the lock with it until the last one has gone. Undefined where there is no
   * flock.
   */
  readonly fd: number | undefined
  release(): Promise<void>
}

interface LockRequest {
  readonly dataFolder: string
  readonly clusterFolder: string
  readonly log: EmbeddedLog
  /** How long a database that lost its server may take to shut down. */
  readonly patienceMs?: number
}

/**
 * Takes the data folder for this process. A living server has it: refused at once. A server that died has left its
 * database behind, which is shutting down: told to, and waited for.
 */
export async function lockDataFolder(request: LockRequest): Promise<Lock> {
  const { dataFolder, clusterFolder, log, patienceMs = 60_000 } = request
  const deadline = Date.now() + patienceMs
  for (let attempt = 0; ; attempt++) {
    const lock = await tryLock(dataFolder, clusterFolder, log)
    if (lock !== undefined) return lock
    const owner = await livingOwner(ownerFile(dataFolder))
    if (owner !== undefined || Date.now() > deadline) throw locked(dataFolder, owner)
    if (attempt === 0) log.info({ dataFolder }, 'waiting for the database of a server that died to shut down')
    if (attempt % 20 === 0) await stopOrphan(clusterFolder)
    await sleep(50)
  }
}

const ownerFile = (dataFolder: string): string => join(dataFolder, 'lock')

async function tryLock(dataFolder: string, clusterFolder: string, log: EmbeddedLog): Promise<Lock | undefined> {
  const file = ownerFile(dataFolder)
  // Root may work in a folder of somebody who laid a link here.
  const fd = await promisify(open)(file, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  const closeFd = (): Promise<void> => promisify(close)(fd)
  // flock(2): the lock belongs to the open file, which this process and the command share.
  const { code, output, failure } = await runCommand(['flock', '-n', '3'], { lockFd: fd })
  if (code === 1) {
    await closeFd()
    return undefined
  }
  if (code === 0) {
    await writeOwner(file)
    return { fd, release: () => releaseFlock(fd) }
  }
  await closeFd()
  if (process.platform === 'linux') {
    log.warn({ reason: failure?.message ?? output }, 'no flock here: the data folder is guarded by process ids alone')
  }
  return await tryLockByProcessId(file, clusterFolder)
}

/** Unsigned first: processes of a killed database may hold it a moment longer, and they are waited for. */
async function releaseFlock(fd: number): Promise<void> {
  await promisify(ftruncate)(fd)
  await promisify(close)(fd)
}

/**
 * Less than a lock: two servers that start in the same moment may both pass. PostgreSQL's own postmaster.pid then
 * refuses the second.
 */
async function tryLockByProcessId(file: string, clusterFolder: string): Promise<Lock | undefined> {
  if ((await livingOwner(file)) !== undefined) return undefined
  if ((await findPostmaster(clusterFolder)) !== undefined) return undefined
  await writeOwner(file)
  if ((await livingOwner(file)) !== process.pid) return undefined
  return { fd: undefined, release: () => rm(file, { force: true }) }
}

async function writeOwner(file: string): Promise<void> {
  await writeFile(file, `${await processIdentity(process.pid)}\n`)
}

/** The process that wrote its name into the lock, if it still lives. */
async function livingOwner(file: string): Promise<number | undefined> {
  const identity = (await readIfThere(file)).trim()
  const pid = Number.parseInt(identity, 10)
  if (!(pid > 0)) return undefined
  return (await processIdentity(pid)) === identity ? pid : undefined
}

/** The database process of this folder, going by its own pid file. */
async function findPostmaster(clusterFolder: string): Promise<number | undefined> {
  const pid = Number.parseInt(await readIfThere(join(clusterFolder, 'postmaster.pid')), 10)
  return pid > 0 && (await isPostgresOf(pid, clusterFolder)) ? pid : undefined
}

async function stopOrphan(clusterFolder: string): Promise<void> {
  const pid = await findPostmaster(clusterFolder)
  if (pid === undefined) return
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if (systemCode(error) !== 'ESRCH' && systemCode(error) !== 'EPERM') throw error
  }
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return ''
    throw error
  }
}

function locked(dataFolder: string, owner: number | undefined): EmbeddedError {
  const who = owner === undefined ? 'another process, perhaps in another container' : `process ${owner}`
  return new EmbeddedError(
    'locked',
    `The data folder ${dataFolder} is in use by ${who}. One server works on a data folder at a time: stop the other ` +
      `one or set MUSTER_DATA to another folder. ${useDatabaseUrl}`,
  )
}

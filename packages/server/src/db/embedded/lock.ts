import { close, constants, ftruncate, open } from 'node:fs'
import { lstat, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readIfExists } from '../../lib/read-if-exists.ts'
import { EmbeddedError, systemCode, useDatabaseUrl } from './embedded-error.ts'
import type { EmbeddedLog } from './embedded-log.ts'
import { findPostmaster, stopOrphan } from './orphaned-postgres.ts'
import { processIdentity } from './process-identity.ts'
import { runCommand } from './run-command.ts'

export interface Lock {
  /**
   * PostgreSQL receives this file descriptor, so its processes hold the lock until the last one has ended. Undefined if
   * flock is not available.
   */
  readonly fd: number | undefined
  release(): Promise<void>
}

interface LockRequest {
  readonly dataFolder: string
  readonly clusterFolder: string
  readonly log: EmbeddedLog
  /** The maximum time, in milliseconds, for the database of a killed server to shut down. The default is one minute. */
  readonly timeoutMs?: number
}

/**
 * Locks the data folder. Rejects if another server uses it. If a server was killed, waits up to `timeoutMs` for its
 * database to shut down, and rejects if the database is still running then.
 */
export async function lockDataFolder(request: LockRequest): Promise<Lock> {
  const { dataFolder, clusterFolder, log, timeoutMs = 60_000 } = request
  const deadline = Date.now() + timeoutMs
  for (let attempt = 0; ; attempt++) {
    const lock = await tryLock(dataFolder, clusterFolder, log)
    if (lock !== undefined) return lock
    const owner = await findLiveOwner(ownerFile(dataFolder))
    if (owner !== undefined || Date.now() > deadline) throw locked(dataFolder, owner)
    if (attempt === 0) log.info({ dataFolder }, 'another process uses the data folder: waiting until it ends')
    if (attempt % 20 === 0) await stopOrphan(clusterFolder)
    await sleep(50)
  }
}

const ownerFile = (dataFolder: string): string => join(dataFolder, 'lock')

async function tryLock(dataFolder: string, clusterFolder: string, log: EmbeddedLog): Promise<Lock | undefined> {
  const file = ownerFile(dataFolder)
  // In another user's folder, that user could have created a symbolic link, which O_NOFOLLOW rejects.
  const fd = await promisify(open)(file, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  const closeFd = (): Promise<void> => promisify(close)(fd)
  // The lock belongs to the open file description, which this process and the command share (flock(2)).
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
    log.warn(
      { reason: failure?.message ?? output },
      'flock failed, so only process IDs protect the data folder: if flock is missing, install util-linux',
    )
  }
  return await tryLockByProcessId(file, clusterFolder)
}

/**
 * Clears the owner in the lock file before it releases the lock. Otherwise, while processes of a killed database still
 * hold the lock, this process would seem to be the owner.
 */
async function releaseFlock(fd: number): Promise<void> {
  await promisify(ftruncate)(fd)
  await promisify(close)(fd)
}

/** Locks the folder by writing the process ID to the lock file. */
async function tryLockByProcessId(file: string, clusterFolder: string): Promise<Lock | undefined> {
  const claim = `${file}.claim`
  await createClaim(claim)
  try {
    if ((await findLiveOwner(file)) !== undefined) return undefined
    if ((await findPostmaster(clusterFolder)) !== undefined) return undefined
    await writeOwner(file)
    if ((await findLiveOwner(file)) !== process.pid) return undefined
  } finally {
    await rm(claim, { force: true })
  }
  return { fd: undefined, release: () => rm(file, { force: true }) }
}

/**
 * Creates a file that no other server can create until it is deleted, so that servers do not check and write the lock
 * file at the same time. Deletes a file that is older than 10 seconds, because the server that created it was probably
 * killed.
 */
async function createClaim(claim: string): Promise<void> {
  for (;;) {
    try {
      return await writeFile(claim, '', { flag: 'wx', mode: 0o600 })
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
    }
    const created = (await lstat(claim).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (Math.abs(Date.now() - created) > 10_000) await rm(claim, { force: true })
    await sleep(20)
  }
}

async function writeOwner(file: string): Promise<void> {
  await writeFile(file, `${await processIdentity(process.pid)}\n`)
}

async function findLiveOwner(file: string): Promise<number | undefined> {
  const identity = (await readIfExists(file))?.trim() ?? ''
  const pid = Number.parseInt(identity, 10)
  if (!(pid > 0)) return undefined
  return (await processIdentity(pid)) === identity ? pid : undefined
}

function locked(dataFolder: string, owner: number | undefined): EmbeddedError {
  const who = owner === undefined ? 'another process, perhaps in another container' : `process ${owner}`
  return new EmbeddedError(
    'locked',
    `The data folder ${dataFolder} is in use by ${who}. Only one server at a time can use a data folder: stop the ` +
      `other server, or set MUSTER_DATA to another folder. ${useDatabaseUrl}`,
  )
}

import { stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { checkBackups } from './backups.ts'
import { type Finding, failed, ok, warning } from './check.ts'

const GIB = 2 ** 30

export async function checkCredentialsFile(file: string): Promise<Finding> {
  const { mode } = await stat(file)
  if (process.platform === 'win32' || (mode & 0o077) === 0) return ok('credentials', file)
  return warning('credentials', `other users on this machine can access ${file}`, `Run: chmod 600 ${file}`)
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * Checks the disk space, permissions, master key, and backups of the data folder. Checks nothing if the server's URL is
 * not a loopback URL, or if the folder does not exist.
 */
export async function* checkDataFolder(url: string, env = process.env): AsyncGenerator<Finding> {
  if (!loopback.test(new URL(url).hostname)) return
  const folder = resolve(env.MUSTER_DATA || 'data')
  if (!(await exists(folder))) return
  const { bavail, blocks, bsize } = await statfs(folder)
  const free = bavail * bsize
  const message = `${(free / GIB).toFixed(1)} GiB of ${((blocks * bsize) / GIB).toFixed(1)} GiB is free in the file system of ${folder}`
  const hint =
    'Free up disk space. As an alternative, stop the server, move the folder to a larger disk, and set MUSTER_DATA to the new path. To keep fewer events in the embedded database, set MUSTER_EVENT_RETENTION to a smaller number of days, but not to 0.'
  if (free < GIB / 4) yield failed('disk', message, hint)
  else if (free < 2 * GIB) yield warning('disk', message, hint)
  else yield ok('disk', message)
  yield await checkMode(folder)
  yield* checkMasterKey(join(folder, 'master.key'))
  yield* checkBackups(folder)
}

async function checkMode(folder: string): Promise<Finding> {
  const { mode } = await stat(folder)
  if ((mode & 0o066) === 0) return ok('data folder', `only its owner can read or write ${folder}`)
  return warning('data folder', `other users on this machine can read or write ${folder}`, `Run: chmod 700 ${folder}`)
}

async function* checkMasterKey(file: string): AsyncGenerator<Finding> {
  if (!(await exists(file))) return
  const { mode } = await stat(file)
  if ((mode & 0o077) !== 0)
    yield failed('master key', `other users on this machine can access ${file}`, `Run: chmod 600 ${file}`)
  else yield ok('master key', `only its owner can access ${file}; keep a copy elsewhere`)
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

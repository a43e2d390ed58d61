import { readFileSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const GIB = 2 ** 30
const PREFIX = 'muster-test-'

/**
 * Creates a folder and sets TMPDIR to its path. The folder is in memory if possible, because it takes CPU time to write
 * the files of hundreds of databases to a disk.
 */
export async function createTemporaryFolder(): Promise<string> {
  const parent = (await hasMemory()) ? MEMORY : tmpdir()
  await removeOldFolders(parent)
  const folder = join(parent, `${PREFIX}${process.pid}`)
  await mkdir(folder)
  // Allow every user to create files, as in /tmp, because PostgreSQL runs as another user if the tests run as root.
  await chmod(folder, 0o1777)
  process.env.TMPDIR = folder
  return folder
}

/** Returns whether enough memory is available and programs can run from a folder in memory. */
async function hasMemory(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(MEMORY)
    const [, options = 'noexec'] = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8')) ?? []
    return bavail * bsize > 4 * GIB && process.availableMemory() > 8 * GIB && !options.split(',').includes('noexec')
  } catch {
    return false
  }
}

/** Removes the folders of killed test runs. */
async function removeOldFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(/^muster-test-(\d+)$/.exec(name)?.[1])
    if (pid > 0 && !isRunning(pid)) await rm(join(parent, name), { recursive: true, force: true, maxRetries: 10 })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

import { readlink, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfExists } from '../../lib/read-if-exists.ts'
import { systemCode } from './embedded-error.ts'
import { runCommand } from './run-command.ts'

export async function findPostmaster(clusterFolder: string): Promise<number | undefined> {
  const pid = Number.parseInt((await readIfExists(join(clusterFolder, 'postmaster.pid'))) ?? '', 10)
  return pid > 0 && (await isPostgresOf(pid, clusterFolder)) ? pid : undefined
}

export async function stopOrphan(clusterFolder: string): Promise<void> {
  const pid = await findPostmaster(clusterFolder)
  if (pid === undefined) return
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if (systemCode(error) !== 'ESRCH' && systemCode(error) !== 'EPERM') throw error
  }
}

/** Checks whether the process runs PostgreSQL in the cluster folder. Another program may have reused the process ID. */
async function isPostgresOf(pid: number, clusterFolder: string): Promise<boolean> {
  const folder = await realpath(clusterFolder)
  if (process.platform === 'linux') {
    const [cwd, exe] = await Promise.all(['cwd', 'exe'].map((name) => readlink(`/proc/${pid}/${name}`).catch(() => '')))
    // If an update has replaced the file of a running program, Linux appends " (deleted)" to the file's path.
    return cwd === folder && /\/postgres( \(deleted\))?$/.test(exe ?? '')
  }
  const { output } = await runCommand(['ps', '-o', 'command=', '-p', String(pid)])
  return output.includes('postgres') && (output.includes(folder) || output.includes(clusterFolder))
}

import { readFile, readlink, realpath } from 'node:fs/promises'
import { runCommand } from './run-command.ts'

/** Process IDs repeat after every restart of a container. Returns undefined if the process is not running. */
export async function processIdentity(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') {
    const { code, output } = await runCommand(['ps', '-o', 'lstart=', '-p', String(pid)])
    return code === 0 && output !== '' ? `${pid} ${output}` : undefined
  }
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ])
    // Field 3 is the state, and field 22 is the start time (proc_pid_stat(5)). The name before them may contain any
    // character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${pid} ${fields[19]} ${boot.trim()}`
  } catch {
    return undefined
  }
}

/** Checks whether the process is the PostgreSQL of this folder. After that PostgreSQL ends, its ID can be reused. */
export async function isPostgresOf(pid: number, clusterFolder: string): Promise<boolean> {
  const folder = await realpath(clusterFolder)
  if (process.platform === 'linux') {
    const [cwd, exe] = await Promise.all(['cwd', 'exe'].map((name) => readlink(`/proc/${pid}/${name}`).catch(() => '')))
    // If an update has replaced the file of a running program, the system appends " (deleted)" to its name.
    return cwd === folder && /\/postgres( \(deleted\))?$/.test(exe ?? '')
  }
  const { output } = await runCommand(['ps', '-o', 'command=', '-p', String(pid)])
  return output.includes('postgres') && (output.includes(folder) || output.includes(clusterFolder))
}

import { readFile } from 'node:fs/promises'
import { runCommand } from './run-command.ts'

/**
 * Combines the process ID with the start time of the process and, on Linux, with the ID of the system's last boot.
 * Process IDs alone repeat after every restart of a container. Returns undefined if the process is not running.
 */
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
    // Field 3 is the state, and field 22 is the start time (proc_pid_stat(5)). Field 2, the program's name in
    // parentheses, may contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${pid} ${fields[19]} ${boot.trim()}`
  } catch {
    return undefined
  }
}

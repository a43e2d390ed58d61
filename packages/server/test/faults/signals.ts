import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Kills a process and its children at the same time, so that no process can flush its buffers. */
export async function killAll(pid: number): Promise<void> {
  const all = [pid, ...(await childrenOf(pid))]
  for (const each of all) signal(each, 'SIGKILL')
  while (all.some(isRunning)) await sleep(5)
}

export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // Ignore ESRCH, because the process may have exited in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

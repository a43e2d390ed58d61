import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'

export interface ServerProcess {
  url: string
  /**
   * Returns the resident memory of the process and its worker processes, in bytes. Returns undefined on systems without
   * /proc or after the process has exited.
   */
  memory(): Promise<number | undefined>
  /**
   * Returns the milliseconds of CPU time that the process has used, without its worker processes. Returns undefined in
   * the same cases as `memory`.
   */
  cpuTime(): Promise<number | undefined>
  stop(): Promise<void>
}

export interface ServerProcessOptions {
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** Path of the file that receives the process's standard error, which includes its log. */
  log: string
}

export async function startServerProcess({ args, env, log }: ServerProcessOptions): Promise<ServerProcess> {
  const file = await open(log, 'a')
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', file.fd],
  })
  const exited = once(child, 'exit')
  await file.close()
  const url = await readyUrl(child, exited)
  if (url === undefined) throw new Error(`${args.at(-1)} did not start: ${await readFile(log, 'utf8')}`)
  child.stdout!.resume()
  return {
    url,
    memory: () => memoryOf(child.pid!),
    cpuTime: () => cpuTime(child.pid!),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await exited
    },
  }
}

/** Waits for the URL that a ready process prints. Returns undefined if the process exits first. */
async function readyUrl(child: ChildProcess, exited: Promise<unknown>): Promise<string | undefined> {
  let output = ''
  const ended = exited.then(() => undefined)
  for (;;) {
    const url = /ready at ((?:http|mqtt):\S+)/.exec(output)?.[1]
    if (url !== undefined) return url
    const chunk = await Promise.race([once(child.stdout!, 'data'), ended])
    if (chunk === undefined) return undefined
    output += String(chunk[0])
  }
}

/**
 * Returns the resident memory in bytes. With workers, returns the sum of the proportional set sizes
 * (proc_pid_smaps(5)), so that shared memory counts once.
 */
async function memoryOf(pid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const workers = children.split(' ').filter(Boolean)
  if (workers.length === 0) return residentBytes(pid)
  const rollups = await Promise.all(
    [pid, ...workers].map((each) => readFile(`/proc/${each}/smaps_rollup`, 'utf8').catch(() => '')),
  )
  return rollups.reduce((sum, text) => sum + Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1_024, 0)
}

/** VmRSS (proc_pid_status(5)) is in KiB, although it is labeled `kB`. */
async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kib === undefined ? undefined : Number(kib) * 1_024
}

/** A clock tick is 10 ms on all Linux platforms that run Node (sysconf(3), _SC_CLK_TCK). */
const TICK_MS = 10

/**
 * Adds utime and stime, the 14th and 15th fields of proc_pid_stat(5). The 2nd field, the name in parentheses, may
 * itself contain spaces and parentheses, so this function splits only the text that follows it.
 */
async function cpuTime(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields && (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

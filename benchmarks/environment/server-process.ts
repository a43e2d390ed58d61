import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'

/** A contestant: a process of its own that serves HTTP. */
export interface Program {
  url: string
  /** Bytes of memory that it holds now; undefined where the system does not tell. */
  memory(): Promise<number | undefined>
  /** Milliseconds of processor time that it has taken so far; undefined where the system does not tell. */
  processorTime(): Promise<number | undefined>
  stop(): Promise<void>
}

export interface ProgramOptions {
  /** What node is called with. */
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** The file that its errors and its log go to. */
  log: string
}

/** Resolves once the program says `ready at <URL>`; rejects when it ends before. */
export async function startProgram({ args, env, log }: ProgramOptions): Promise<Program> {
  const file = await open(log, 'a')
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', file.fd],
  })
  const exited = once(child, 'exit')
  await file.close()
  const url = await readyUrl(child, exited)
  if (url === undefined) throw new Error(`${args.at(-1)} does not start: ${await readFile(log, 'utf8')}`)
  child.stdout!.resume()
  return {
    url,
    memory: () => residentBytes(child.pid!),
    processorTime: () => processorTime(child.pid!),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await exited
    },
  }
}

/** Undefined where it ends before. */
async function readyUrl(child: ChildProcess, exited: Promise<unknown>): Promise<string | undefined> {
  let said = ''
  const ended = exited.then(() => undefined)
  for (;;) {
    const url = /ready at (http:\S+)/.exec(said)?.[1]
    if (url !== undefined) return url
    const chunk = await Promise.race([once(child.stdout!, 'data'), ended])
    if (chunk === undefined) return undefined
    said += String(chunk[0])
  }
}

/** proc(5): VmRSS in kB. */
async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kib === undefined ? undefined : Number(kib) * 1_024
}

/** Of a hundredth of a second each, everywhere that Linux runs Node (sysconf(3), _SC_CLK_TCK). */
const TICK_MS = 10

/** proc_pid_stat(5): utime and stime are the 14th and 15th; the name before them may hold blanks. */
async function processorTime(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields && (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

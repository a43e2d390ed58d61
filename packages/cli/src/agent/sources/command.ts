import { type ChildProcess, spawn } from 'node:child_process'
import { firstLine, MAX_BYTES } from './first-line.ts'
import type { Sample } from './sample.ts'

const MAX_ERROR_BYTES = 1_024
/** The longest delay of a Node.js timer, 24.8 days. A timer with a longer delay fires immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1

interface Limits {
  /** Milliseconds after which the agent stops the command. */
  timeout: number
  signal: AbortSignal
}

export async function runCommand(line: string, { timeout, signal: stopped }: Limits): Promise<Sample> {
  // The command runs in a separate process group, so that the agent can also end the command's child processes.
  const child = spawn('/bin/sh', ['-c', line], { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: ownEnv() })
  let tookTooLong = false
  const timer = setTimeout(
    () => {
      tookTooLong = true
      endGroup(child)
    },
    Math.min(timeout, MAX_TIMER_MS),
  )
  const stop = (): void => endGroup(child)
  stopped.addEventListener('abort', stop, { once: true })
  const [output, errors] = [gather(child.stdout, MAX_BYTES), gather(child.stderr, MAX_ERROR_BYTES)]
  try {
    const { code, signal } = await ended(child)
    if (tookTooLong) throw new Error(`the command took longer than ${timeout / 1_000} s`)
    if (code !== 0) {
      const why = firstLine(errors())
      const how = code === null ? `was terminated by ${signal}` : `exited with code ${code}`
      throw new Error(`the command ${how}${why === '' ? '' : `: ${why}`}`)
    }
  } finally {
    clearTimeout(timer)
    stopped.removeEventListener('abort', stop)
    // End background processes that the command started, because they would keep the agent's pipes open.
    endGroup(child)
  }
  return { text: firstLine(output()) }
}

function ownEnv(): NodeJS.ProcessEnv {
  const { MUSTER_CODE: _code, NODE_COMPILE_CACHE: _cache, ...env } = process.env
  return env
}

function ended(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      // Wait briefly for output that is still in the pipe. A background process may keep the pipe open forever.
      const grace = setTimeout(() => resolve({ code, signal }), 200)
      child.once('close', () => {
        clearTimeout(grace)
        resolve({ code, signal })
      })
    })
  })
}

function gather(stream: NodeJS.ReadableStream, most: number): () => Buffer {
  const chunks: Buffer[] = []
  let length = 0
  stream.on('data', (chunk: Buffer) => {
    // Also read the output beyond the limit, and discard it, because a full pipe would block the command.
    if (length < most) chunks.push(chunk.subarray(0, most - length))
    length += chunk.length
  })
  return () => Buffer.concat(chunks)
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // All processes in the group have already ended.
  }
  child.stdout?.destroy()
  child.stderr?.destroy()
}

import { type ChildProcess, spawn } from 'node:child_process'
import { firstLine, MOST_BYTES } from './first-line.ts'
import type { Sample } from './sample.ts'

/** What is reported of a command's errors. */
const MOST_ERROR_BYTES = 1_024

interface Limits {
  /** Milliseconds. */
  timeout: number
  signal: AbortSignal
}

/** Runs a line of shell and takes its first line of output. One that fails, or takes too long, says nothing. */
export async function runCommand(line: string, { timeout, signal: stopped }: Limits): Promise<Sample> {
  // A group of its own, so that what it started ends with it.
  const child = spawn('/bin/sh', ['-c', line], { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: ownEnv() })
  let tookTooLong = false
  const timer = setTimeout(() => {
    tookTooLong = true
    endGroup(child)
  }, timeout)
  const stop = (): void => endGroup(child)
  stopped.addEventListener('abort', stop, { once: true })
  const [output, errors] = [gather(child.stdout, MOST_BYTES), gather(child.stderr, MOST_ERROR_BYTES)]
  try {
    const { code, signal } = await ended(child)
    if (tookTooLong) throw new Error(`it took longer than ${timeout / 1_000} s`)
    if (code !== 0) {
      const why = firstLine(errors())
      throw new Error(`it ended with ${code ?? signal}${why === '' ? '' : `: ${why}`}`)
    }
  } finally {
    clearTimeout(timer)
    stopped.removeEventListener('abort', stop)
    // What it left behind in the background would hold the agent's pipes.
    endGroup(child)
  }
  return { text: firstLine(output()) }
}

/** The agent's environment without what is the agent's alone. */
function ownEnv(): NodeJS.ProcessEnv {
  const { MUSTER_CODE: _code, NODE_COMPILE_CACHE: _cache, ...env } = process.env
  return env
}

function ended(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      // Its output may still be on the way; somebody it left behind may hold the pipe open for ever.
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
    // The rest is read and dropped: a full pipe would hold the command up.
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
    // All of it is gone already.
  }
  child.stdout?.destroy()
  child.stderr?.destroy()
}

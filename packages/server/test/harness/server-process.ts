import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { signRequest } from '@muster/http-signature'
import { onTestFailed, onTestFinished } from 'vitest'
import { serverPath } from './bundled-programs.ts'

/** The number of characters from the end of a server's log that a failed test shows. */
const SHOWN = 8_000

export interface ServerProcess {
  url: string
  stdout(): string
  stderr(): string
  /** Sends a signal and returns the exit status, which is null if the signal killed the process. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  signal(signal: NodeJS.Signals): void
  exited: Promise<number | null>
}

/**
 * Starts a server process. Throws an error with the server's output if the server exits before it is ready. By default,
 * the server stops when the test ends.
 */
export async function startServerProcess(
  env: Record<string, string>,
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [serverPath()], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: '0',
      MUSTER_MQTT_PORT: '0',
      // Raise or disable limits that the server, its database, or a collector could exceed on a busy machine.
      MUSTER_DATABASE_SILENCE: '20000',
      MUSTER_WORKER_SILENCE: '0',
      MUSTER_MOST_STANDING: '1000000',
      MUSTER_MOST_LAG: '0',
      OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
      ...env,
    },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += chunk))
  child.stderr.on('data', (chunk) => (output.stderr += chunk))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  atEnd(() => end(child, exited))
  if (atEnd === onTestFinished) onTestFailed(() => console.error(`pid ${child.pid}:\n${output.stderr.slice(-SHOWN)}`))
  return {
    url: await readyUrl(child, output, exited),
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    signal: (signal) => void child.kill(signal),
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
    exited,
  }
}

/** Starts a server that must fail to start. Returns its exit status and error output. */
export async function failToStart(env: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
  const outcome = await startServerProcess(env).catch((error: unknown) => error)
  if (outcome instanceof StartFailure) return { code: outcome.code, stderr: outcome.stderr }
  throw outcome instanceof Error ? outcome : new Error('The server started, but the test expects it to fail.')
}

class StartFailure extends Error {
  readonly code: number | null
  readonly stderr: string

  constructor(code: number | null, stderr: string) {
    super(`the server exited with status ${code}: ${stderr}`)
    this.code = code
    this.stderr = stderr
  }
}

async function readyUrl(
  child: ChildProcess,
  output: { stdout: string; stderr: string },
  exited: Promise<number | null>,
): Promise<string> {
  const ended = exited.then((code) => {
    throw new StartFailure(code, output.stderr)
  })
  for (;;) {
    const url = /ready at (https?:\S+)/.exec(output.stdout)?.[1]
    if (url !== undefined) {
      ended.catch(() => {})
      return url
    }
    await Promise.race([once(child.stdout!, 'data'), ended])
  }
}

async function end(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
  await exited
}

export async function readCredentials(folder: string): Promise<Record<string, string>> {
  const lines = (await readFile(join(folder, 'credentials'), 'utf8')).split('\n')
  return Object.fromEntries(lines.filter((line) => line.includes('=')).map((line) => line.split(/=(.*)/s, 2)))
}

export interface SignedResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its responses
  body: any
}

export async function sendAs(
  { MUSTER_ACCESS_KEY_ID: keyId = '', MUSTER_SECRET_ACCESS_KEY: secret = '' }: Record<string, string>,
  url: string,
  operation:
    | string
    | { query: string; operationName?: string | undefined; variables?: Record<string, unknown> | undefined },
  extraHeaders: Record<string, string> = {},
): Promise<SignedResponse> {
  const body = JSON.stringify(typeof operation === 'string' ? { query: operation } : operation)
  const headers = { 'content-type': 'application/json', ...extraHeaders }
  const signature = signRequest({
    keyId,
    key: { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') },
    method: 'POST',
    url: `${url}/graphql/v1`,
    headers,
    body,
    created: Math.floor(Date.now() / 1_000),
  })
  const response = await fetch(`${url}/graphql/v1`, { method: 'POST', headers: { ...headers, ...signature }, body })
  return { status: response.status, body: await response.json() }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { signRequest } from '@muster/http-signature'
import { onTestFailed, onTestFinished } from 'vitest'

const main = new URL('../../src/main.ts', import.meta.url).pathname

/** Characters of a server's log that a failed test shows. */
const SHOWN = 8_000

/** A server in a process of its own, started as an operator starts it. */
export interface ServerProcess {
  url: string
  /** Everything it has said so far. */
  stdout(): string
  stderr(): string
  /** Sends a signal and resolves with the exit status, null when the signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  signal(signal: NodeJS.Signals): void
  exited: Promise<number | null>
}

/**
 * Resolves once the server says that it is ready; rejects with what it said when it ends before. It goes with the test, or when
 * `atEnd` says.
 */
export async function startServerProcess(
  env: Record<string, string>,
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: '0',
      MUSTER_MQTT_PORT: '0',
      // A busy machine is no silence, no overload, and no collector that is away.
      MUSTER_DATABASE_SILENCE: '20000',
      MUSTER_MOST_STANDING: '1000000',
      MUSTER_MOST_LAG: '0',
      OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
      ...env,
    },
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (said.stdout += chunk))
  child.stderr.on('data', (chunk) => (said.stderr += chunk))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  atEnd(() => end(child, exited))
  if (atEnd === onTestFinished) onTestFailed(() => console.error(`pid ${child.pid}:\n${said.stderr.slice(-SHOWN)}`))
  return {
    url: await readyUrl(child, said, exited),
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    signal: (signal) => void child.kill(signal),
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
    exited,
  }
}

/** What a server says that does not start, and its exit status. */
export async function failToStart(env: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
  const outcome = await startServerProcess(env).catch((error: unknown) => error)
  if (outcome instanceof StartFailure) return { code: outcome.code, stderr: outcome.stderr }
  throw outcome instanceof Error ? outcome : new Error('the server started')
}

class StartFailure extends Error {
  readonly code: number | null
  readonly stderr: string

  constructor(code: number | null, stderr: string) {
    super(`the server ended with ${code}: ${stderr}`)
    this.code = code
    this.stderr = stderr
  }
}

async function readyUrl(
  child: ChildProcess,
  said: { stdout: string; stderr: string },
  exited: Promise<number | null>,
): Promise<string> {
  const ended = exited.then((code) => {
    throw new StartFailure(code, said.stderr)
  })
  for (;;) {
    const url = /ready at (https?:\S+)/.exec(said.stdout)?.[1]
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

export interface SignedAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what a document answers is known to its test alone
  body: any
}

/** Sends an operation to a server as the holder of these credentials. */
export async function sendAs(
  { MUSTER_ACCESS_KEY_ID: keyId = '', MUSTER_SECRET_ACCESS_KEY: secret = '' }: Record<string, string>,
  url: string,
  asked: string | { query: string; variables?: Record<string, unknown> | undefined },
  more: Record<string, string> = {},
): Promise<SignedAnswer> {
  const body = JSON.stringify(typeof asked === 'string' ? { query: asked } : asked)
  const headers = { 'content-type': 'application/json', ...more }
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

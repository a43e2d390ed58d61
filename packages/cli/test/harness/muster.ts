import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatCredentials } from '@muster/server/start/credentials-file.ts'
import type pg from 'pg'
import { onTestFinished } from 'vitest'
import type { TestUser } from '../../../server/test/harness/app.ts'
import { launcherPath } from '../../../server/test/harness/bundled-programs.ts'

/** Path of the `muster` command in the checkout, which runs from its sources. */
export const launcher = new URL('../../bin/muster.js', import.meta.url).pathname

export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  env?: Record<string, string>
  input?: string | Buffer
}

export interface RunningCommand extends RunningProcess {
  stdout(): string
  stderr(): string
  /** Resolves with the first match of the pattern in the output. Rejects if the command ends without a match. */
  waitForOutput(on: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray>
}

interface RunningProcess {
  child: ChildProcess
  done: Promise<CommandResult>
}

/** Runs the CLI as a separate process with a clean environment. */
export function startMuster(args: string[], { env = {}, input = '' }: RunOptions = {}): RunningCommand {
  const child = spawn(process.execPath, [launcherPath(), ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: '/nowhere',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      // Prevent the server from mistaking a busy machine for an unresponsive database or for overload.
      MUSTER_DATABASE_SILENCE: '20000',
      MUSTER_MOST_LAG: '0',
      ...env,
    },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk) => (output.stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk) => (output.stderr += chunk))
  // Ignore errors, because a command that ends before it has read its input closes the pipe.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const done = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }))
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await done
  })
  return {
    child,
    done,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    async waitForOutput(on, pattern) {
      let hasEnded = false
      const ended = done.then(() => {
        hasEnded = true
      })
      for (;;) {
        const found = pattern.exec(output[on])
        if (found !== null) return found
        if (hasEnded) throw new Error(`the command ended without printing ${pattern}: ${output.stdout}${output.stderr}`)
        await Promise.race([once(child[on], 'data'), ended])
      }
    },
  }
}

export const muster = (args: string[], options?: RunOptions): Promise<CommandResult> => startMuster(args, options).done

export async function temporaryFolder(): Promise<{
  path: string
  write(name: string, text: string | Buffer): Promise<string>
}> {
  const path = await mkdtemp(join(tmpdir(), 'muster-cli-'))
  // Retry the removal, because a killed program may still be writing its last file.
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10 }))
  return {
    path,
    async write(name, text) {
      await writeFile(join(path, name), text)
      return join(path, name)
    },
  }
}

export const credentialsOf = (url: string, { keyId, secret, email }: TestUser): string =>
  formatCredentials({ url, accessKeyId: keyId, secretAccessKey: secret, email, password: 'unused' })

/** Returns the DATABASE_URL of a test database. Its host is a parameter, because it may be a path to a Unix socket. */
export function databaseUrl({ connectionString, host, port, user, password, database }: pg.ClientConfig): string {
  if (connectionString !== undefined) return connectionString
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ host, port, user, password })) {
    if (value !== undefined) query.set(name, String(value))
  }
  return `postgresql:///${database}?${query}`
}

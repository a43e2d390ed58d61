import { spawn } from 'node:child_process'
import type { Binaries } from './binaries.ts'
import { EmbeddedError, systemCode, useDatabaseUrl } from './embedded-error.ts'
import type { LogFile } from './log-file.ts'
import type { RunMode } from './privileges.ts'
import { runCommand } from './run-command.ts'
import { memoryEnvironment, settingArguments } from './settings.ts'

export interface Postgres {
  readonly pid: number
  isAlive(): boolean
  /** Resolves to the exit code or the signal. Never rejects. */
  readonly exited: Promise<string>
  stop(): Promise<void>
}

export interface Launch {
  readonly binaries: Binaries
  readonly runMode: RunMode
  readonly clusterFolder: string
  readonly logFile: LogFile
  readonly lockFd: number | undefined
  readonly settings: Readonly<Record<string, string>>
}

/**
 * If a fast shutdown takes longer than this number of milliseconds, PostgreSQL receives SIGQUIT, and the next start
 * recovers the database.
 */
const fastShutdownMs = 30_000

/** Starts PostgreSQL in a separate session, because Ctrl-C would otherwise signal PostgreSQL directly. */
export async function launchPostgres(launch: Launch): Promise<Postgres> {
  const { binaries, runMode, clusterFolder, logFile, lockFd } = launch
  const [program = '', ...args] = [
    ...runMode.prefix,
    binaries.postgres,
    '-D',
    clusterFolder,
    ...settingArguments(launch.settings),
  ]
  const child = spawn(program, args, {
    env: { ...binaries.env, ...memoryEnvironment },
    detached: true,
    stdio: ['ignore', logFile.fd, logFile.fd, lockFd ?? 'ignore'],
  })
  const failed = new Promise<Error>((resolve) => {
    child.on('error', resolve)
  })
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code === null ? `signal ${signal}` : `exit code ${code}`))
  })
  const { pid } = child
  if (pid === undefined) throw notStarted(await failed)

  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null
  const signal = (name: 'SIGINT' | 'SIGQUIT'): Promise<void> => sendSignal(runMode, pid, name)
  // On systems without a parent-death signal, this listener stops the database if the server exits because of an error.
  const onProcessExit = (): void => void child.kill('SIGINT')
  process.once('exit', onProcessExit)
  exited.then(() => process.off('exit', onProcessExit))

  const stop = async (): Promise<void> => {
    if (!isAlive()) return
    await signal('SIGINT')
    const timer = setTimeout(() => void signal('SIGQUIT'), fastShutdownMs)
    await exited
    clearTimeout(timer)
  }
  return { pid, isAlive, exited, stop }
}

/** Root without CAP_KILL cannot signal another user's process, so root then sends the signal as that user. */
async function sendSignal(runMode: RunMode, pid: number, name: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (systemCode(error) === 'EPERM')
      await runCommand([...runMode.prefix, 'sh', '-c', `kill -s ${name.slice(3)} ${pid}`])
    else if (systemCode(error) !== 'ESRCH') throw error
  }
}

const notStarted = (cause: Error): EmbeddedError =>
  new EmbeddedError('start-failed', `PostgreSQL could not be started: ${cause.message}. ${useDatabaseUrl}`, { cause })

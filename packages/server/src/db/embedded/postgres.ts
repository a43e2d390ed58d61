import { spawn } from 'node:child_process'
import type { Binaries } from './binaries.ts'
import { EmbeddedError, systemCode, useDatabaseUrl } from './embedded-error.ts'
import type { LogFile } from './log-file.ts'
import type { Way } from './privileges.ts'
import { runCommand } from './run-command.ts'
import { settingArguments } from './settings.ts'

/** The running main process of PostgreSQL. */
export interface Postgres {
  readonly pid: number
  isAlive(): boolean
  /** Resolves, never rejects, with how it ended: "exit code 1", "signal SIGKILL". */
  readonly exited: Promise<string>
  stop(): Promise<void>
}

/** All that starting PostgreSQL takes. */
export interface Launch {
  readonly binaries: Binaries
  readonly way: Way
  readonly clusterFolder: string
  readonly logFile: LogFile
  readonly lockFd: number | undefined
  readonly settings: Readonly<Record<string, string>>
}

/** Fast shutdown writes a checkpoint, which a slow disk may need this long for; then SIGQUIT, and recovery at the next start. */
const fastShutdownMs = 30_000

/**
 * In a session of its own: a Ctrl-C goes to all processes of the terminal's group, and the server alone decides in
 * which order things stop.
 */
export async function launchPostgres(launch: Launch): Promise<Postgres> {
  const { binaries, way, clusterFolder, logFile, lockFd } = launch
  const [program = '', ...args] = [
    ...way.prefix,
    binaries.postgres,
    '-D',
    clusterFolder,
    ...settingArguments(launch.settings),
  ]
  const child = spawn(program, args, {
    env: binaries.env,
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
  const signal = (name: 'SIGINT' | 'SIGQUIT'): Promise<void> => sendSignal(way, pid, name)
  // Where no death signal exists this is what stops the database of a server that throws.
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

/** A root without CAP_KILL must not signal another user's process; that user may. */
async function sendSignal(way: Way, pid: number, name: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (systemCode(error) === 'EPERM') await runCommand([...way.prefix, 'sh', '-c', `kill -s ${name.slice(3)} ${pid}`])
    else if (systemCode(error) !== 'ESRCH') throw error
  }
}

const notStarted = (cause: Error): EmbeddedError =>
  new EmbeddedError('start-failed', `PostgreSQL could not be started: ${cause.message}. ${useDatabaseUrl}`, { cause })

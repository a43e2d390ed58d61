import cluster, { type Worker } from 'node:cluster'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { StartError } from '../start-error.ts'
import { gatherMetrics } from './gathered-metrics.ts'
import { type FromProcess, NUMBER_VARIABLE, sendTo } from './messages.ts'
import { watchProcesses } from './watch.ts'

const program = fileURLToPath(new URL('./process.ts', import.meta.url))

/** How long a process has to stop, in milliseconds, before it is killed. */
const STOP_TIMEOUT_MS = 60_000
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 10_000
/** A process that ran longer than this number of milliseconds is restarted after `FIRST_DELAY_MS` again. */
const STABLE_MS = 60_000

/** Runs several server processes under one command, on the same ports. */
export interface Processes {
  /** Resolves to the URL of the server once all processes serve requests. Rejects if one of them cannot start. */
  start(): Promise<string>
  reload(): void
  /** Resolves once all processes have exited. */
  stop(): Promise<void>
}

interface Ended {
  pid: number | undefined
  code: number | string | null
  signal: NodeJS.Signals | null
}

type End = Ended | { reason: string }

interface Launched {
  url: string
  ended: Promise<End>
}

/**
 * Until the server stops, replaces processes that exit, and kills and replaces processes that do not respond (see
 * `watchProcesses`).
 */
export function createProcesses(
  { processes: count, workerSilence }: Pick<Config, 'processes' | 'workerSilence'>,
  log: FastifyBaseLogger,
): Processes {
  const stopping = new AbortController()
  const running = new Map<number, Worker>()
  const watch = watchProcesses(workerSilence, log)
  const metrics = gatherMetrics({ count, running, isUnresponsive: watch.isUnresponsive, log })
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  let supervision: Promise<unknown> = Promise.resolve()

  const launch = async (number: number): Promise<Launched> => {
    cluster.setupPrimary({ exec: program, args: [], serialization: 'advanced' })
    const worker = cluster.fork({ [NUMBER_VARIABLE]: String(number) })
    running.set(number, worker)
    watch.add(number, worker)
    const ended = exitOf(worker).then((end) => {
      running.delete(number)
      watch.remove(number)
      metrics.ended(number)
      return end
    })
    // If a process ends while a message is being sent to it, its worker emits an error. Without a listener, the error
    // would end this process.
    worker.on('error', (error) => log.debug({ err: error }, 'cannot send a message to a server process'))
    worker.on('message', (message: FromProcess) => {
      watch.recordMessage(number)
      metrics.handleMessage(number, message)
    })
    try {
      return { url: await readyUrl(worker, ended), ended }
    } catch (error) {
      await ended
      throw error
    }
  }

  /** Replaces the process with this number each time it exits, until the server stops. */
  const supervise = async (number: number, first: Launched['ended']): Promise<void> => {
    let ended = first
    let delay = FIRST_DELAY_MS
    let startedAt = performance.now()
    for (;;) {
      const end = await ended
      if (stopping.signal.aborted) return
      if (performance.now() - startedAt > STABLE_MS) delay = FIRST_DELAY_MS
      const fields = { process: number, ...end }
      if ('code' in end && end.code === 0) log.info(fields, 'a server process was stopped; starting another')
      else log.error(fields, 'a server process exited; starting another')
      await sleep(delay, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      delay = Math.min(2 * delay, MAX_DELAY_MS)
      startedAt = performance.now()
      ended = launch(number).then(
        (launched) => launched.ended,
        (error: Error): End => ({ reason: error.message }),
      )
    }
  }

  return {
    async start() {
      const launched = await Promise.all(numbers.map(launch))
      supervision = Promise.all(launched.map(({ ended }, index) => supervise(numbers[index]!, ended)))
      return launched[0]!.url
    },
    reload() {
      for (const worker of running.values()) sendTo(worker, { kind: 'reload' })
    },
    async stop() {
      stopping.abort()
      watch.stop()
      await Promise.all(Array.from(running.values(), stopOne))
      await supervision
    },
  }
}

/**
 * Resolves once the process exits. Unlike `once` of node:events, does not reject if the worker emits an error first.
 * For example, the worker emits an error if a message cannot be sent to a process that is exiting.
 */
const exitOf = (worker: Worker): Promise<Ended> =>
  new Promise((resolve) => {
    const { pid } = worker.process
    worker.once('exit', (code: number | null, signal: NodeJS.Signals | null) => resolve({ pid, code, signal }))
    // If the system cannot create the process, the worker emits an error event, but no exit event.
    if (pid === undefined)
      worker.once('error', ({ code }: NodeJS.ErrnoException) => resolve({ pid, code: code ?? null, signal: null }))
  })

async function readyUrl(worker: Worker, ended: Promise<Ended>): Promise<string> {
  const reported = new Promise<string>((resolve, reject) => {
    worker.on('message', (message: FromProcess) => {
      if (message.kind === 'ready') resolve(message.url)
      if (message.kind === 'failed') reject(new StartError(message.text))
    })
  })
  const endedEarly = ended.then(({ code, signal }) => {
    const how = typeof code === 'number' ? `exit code ${code}` : (signal ?? code)
    throw new StartError(
      `A server process ended before it was ready: ${how}. Read the earlier log entries and the system log.`,
    )
  })
  return Promise.race([reported, endedEarly])
}

async function stopOne(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const ended = exitOf(worker)
  sendTo(worker, { kind: 'stop' })
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await ended
  clearTimeout(timer)
}

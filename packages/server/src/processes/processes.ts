import cluster, { type Worker } from 'node:cluster'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { StartError } from '../start-error.ts'
import { gatherMetrics } from './gathered-metrics.ts'
import { type FromProcess, NUMBER_VARIABLE, tell } from './messages.ts'
import { watchProcesses } from './watch.ts'

const program = fileURLToPath(new URL('process.ts', import.meta.url))

/** A process that was asked to stop closes everything within this time, by the bounds that its parts have. */
const STOPPED_WITHIN_MS = 60_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** One that served this long was well: the next is started without delay. */
const STABLE_MS = 60_000

/** Several server processes under one command, on the same ports. */
export interface Processes {
  /** Resolves once all of them serve, with where; rejects when one cannot. */
  start(): Promise<string>
  reload(): void
  /** All finish what they do; resolves once none is left. */
  stop(): Promise<void>
}

interface Ended {
  pid: number | undefined
  /** Its status, or why the system did not start it. */
  code: number | string | null
  signal: NodeJS.Signals | null
}

/** How a process ended, or why it did not start. */
type End = Ended | { reason: string }

/** One that serves. */
interface Launched {
  url: string
  ended: Promise<End>
}

/** Starts them, and another one for each that ends by itself, or is silent for too long. */
export function createProcesses(
  { processes: count, workerSilence }: Pick<Config, 'processes' | 'workerSilence'>,
  log: FastifyBaseLogger,
): Processes {
  const stopping = new AbortController()
  const running = new Map<number, Worker>()
  const watch = watchProcesses(workerSilence, log)
  const metrics = gatherMetrics({ count, running, isSilent: watch.isSilent, log })
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  let kept: Promise<unknown> = Promise.resolve()

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
    // Of one that ends while it is spoken to.
    worker.on('error', (error) => log.debug({ err: error }, 'a server process cannot be told anything'))
    worker.on('message', (message: FromProcess) => {
      watch.heard(number)
      metrics.take(number, message)
    })
    try {
      return { url: await readyUrl(worker, ended), ended }
    } catch (error) {
      await ended
      throw error
    }
  }

  /** For as long as the server runs there is a process of this number, or soon will be. */
  const keep = async (number: number, first: Launched['ended']): Promise<void> => {
    let ended = first
    let pause = FIRST_PAUSE_MS
    let startedAt = performance.now()
    for (;;) {
      const end = await ended
      if (stopping.signal.aborted) return
      if (performance.now() - startedAt > STABLE_MS) pause = FIRST_PAUSE_MS
      const fields = { process: number, ...end }
      if ('code' in end && end.code === 0) log.info(fields, 'a server process was stopped; starting another')
      else log.error(fields, 'a server process ended; starting another')
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
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
      kept = Promise.all(launched.map(({ ended }, index) => keep(numbers[index]!, ended)))
      return launched[0]!.url
    },
    reload() {
      for (const worker of running.values()) tell(worker, { kind: 'reload' })
    },
    async stop() {
      stopping.abort()
      watch.stop()
      await Promise.all(Array.from(running.values(), stopOne))
      await kept
    },
  }
}

/** Not `once` of node:events, which rejects at an error: one that was told something as it ended has not told how it ended. */
const exitOf = (worker: Worker): Promise<Ended> =>
  new Promise((resolve) => {
    const { pid } = worker.process
    worker.once('exit', (code: number | null, signal: NodeJS.Signals | null) => resolve({ pid, code, signal }))
    // One that the system did not start does not exit.
    if (pid === undefined)
      worker.once('error', ({ code }: NodeJS.ErrnoException) => resolve({ pid, code: code ?? null, signal: null }))
  })

async function readyUrl(worker: Worker, ended: Promise<Ended>): Promise<string> {
  const said = new Promise<string>((resolve, reject) => {
    worker.on('message', (message: FromProcess) => {
      if (message.kind === 'ready') resolve(message.url)
      if (message.kind === 'failed') reject(new StartError(message.text))
    })
  })
  const silent = ended.then(({ code, signal }) => {
    throw new StartError(`A server process ended before it was ready, with ${signal ?? code}.`)
  })
  return Promise.race([said, silent])
}

async function stopOne(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const ended = exitOf(worker)
  tell(worker, { kind: 'stop' })
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), STOPPED_WITHIN_MS)
  await ended
  clearTimeout(timer)
}

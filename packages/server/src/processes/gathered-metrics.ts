import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { AggregatorRegistry } from 'prom-client'
import { createMetrics, type Samples } from '../metrics.ts'
import { type FromProcess, tell, type Way } from './messages.ts'

/** A process that takes longer is left out; its counts stand as they were. */
const ANSWERED_WITHIN_MS = 4_000

/** What all server processes measure, put together: whichever of them is asked answers for all. */
export interface GatheredMetrics {
  /** Takes what a process says, as far as it is about metrics. */
  take(number: number, message: FromProcess): void
  /** What it counted goes on being counted. */
  ended(number: number): void
}

export interface GatheringOptions {
  /** Processes that there are to be. */
  count: number
  running: ReadonlyMap<number, Way>
  /** Of one that is, no answer is waited for. */
  isSilent: (number: number) => boolean
  log: FastifyBaseLogger
}

/** Of one that is not there: what it counted so far. */
interface Answer {
  isThere: boolean
  samples: Samples
}

export function gatherMetrics({ count, running, isSilent, log }: GatheringOptions): GatheredMetrics {
  const ofParent = createMetrics({ ofProcess: true, process: '0' })
  let answered = 0
  ofParent.gauge('processesMissing', () => count - answered)
  const known = new Map<number, Samples>()
  let past: Promise<Samples> = Promise.resolve([])
  let questions = 0
  const open = new Map<number, Map<number, (answer: Answer) => void>>()

  const absent = (number: number): Answer => ({ isThere: false, samples: countsOf(known.get(number) ?? []) })

  const sample = async (): Promise<Samples[]> => {
    const question = ++questions
    const asked = new Map<number, (answer: Answer) => void>()
    open.set(question, asked)
    const answers = Array.from(running, ([number, worker]) => {
      const { promise, resolve } = Promise.withResolvers<Answer>()
      asked.set(number, resolve)
      if (isSilent(number)) resolve(absent(number))
      else tell(worker, { kind: 'sample', question })
      return promise
    })
    const timer = new AbortController()
    const late = sleep(ANSWERED_WITHIN_MS, undefined, { signal: timer.signal }).then(
      () => {
        for (const [number, answer] of asked) answer(absent(number))
      },
      () => {},
    )
    const told = await Promise.all(answers)
    timer.abort()
    await late
    open.delete(question)
    answered = told.filter(({ isThere }) => isThere).length
    return told.map(({ samples }) => samples)
  }

  const measure = async (): Promise<{ type: string; text: string }> => {
    // As it is now: who ends while others are asked is among the answers.
    const before = past
    const registry = AggregatorRegistry.aggregate([...(await sample()), await before, await ofParent.samples()])
    return { type: registry.contentType, text: await registry.metrics() }
  }

  return {
    take(number, message) {
      // What one said before it ended may come after: that is counted already.
      if (!running.has(number)) return
      if (message.kind === 'samples') {
        known.set(number, message.samples)
        open.get(message.question)?.get(number)?.({ isThere: true, samples: message.samples })
      } else if (message.kind === 'measure') {
        void measure().then(
          (answer) => {
            const worker = running.get(number)
            if (worker !== undefined) tell(worker, { kind: 'measured', question: message.question, ...answer })
          },
          (error: unknown) => log.warn({ err: error }, 'what the server processes measure cannot be put together'),
        )
      }
    },
    ended(number) {
      const last = absent(number)
      for (const asked of open.values()) asked.get(number)?.(last)
      past = past.then((before) => AggregatorRegistry.aggregate([before, last.samples]).getMetricsAsJSON())
      known.delete(number)
    },
  }
}

/** What only grows, of all processes together: that of the process itself has its number, and begins anew with the next one. */
const countsOf = (samples: Samples): Samples =>
  samples.filter(({ name, type }) => name.startsWith('muster_') && counts.has(String(type)))

const counts = new Set(['counter', 'histogram'])

import type { FastifyBaseLogger } from 'fastify'
import { AggregatorRegistry } from 'prom-client'
import { createMetrics, type Samples } from '../metrics.ts'
import { type FromProcess, type ProcessChannel, sendTo } from './messages.ts'

/** How long to wait for a process's response, in milliseconds, before using the process's last known counters. */
const RESPONSE_TIMEOUT_MS = 4_000

/** Combines the metrics of all server processes. A scrape of any process returns the combined metrics. */
export interface GatheredMetrics {
  handleMessage(number: number, message: FromProcess): void
  /** Call this when a process has ended. Adds its counters to the totals. */
  ended(number: number): void
}

export interface GatheringOptions {
  count: number
  running: ReadonlyMap<number, ProcessChannel>
  /** An unresponsive process is not asked for metrics. */
  isUnresponsive: (number: number) => boolean
  log: FastifyBaseLogger
}

interface SampleResponse {
  /** Whether the process itself responded. If not, `samples` contains only its last known counters. */
  isCurrent: boolean
  samples: Samples
}

export function gatherMetrics({ count, running, isUnresponsive, log }: GatheringOptions): GatheredMetrics {
  const parentMetrics = createMetrics({ ofProcess: true, process: '0' })
  let responding = 0
  parentMetrics.gauge('processesMissing', () => count - responding)
  const lastSamples = new Map<number, Samples>()
  let endedTotals: Promise<Samples> = Promise.resolve([])
  let lastRequestId = 0
  const openRequests = new Map<number, Map<number, (response: SampleResponse) => void>>()

  const lastCounters = (number: number): SampleResponse => ({
    isCurrent: false,
    samples: countersIn(lastSamples.get(number) ?? []),
  })

  const sample = async (): Promise<Samples[]> => {
    const requestId = ++lastRequestId
    const pending = new Map<number, (response: SampleResponse) => void>()
    openRequests.set(requestId, pending)
    const requested = Array.from(running, ([number, worker]) => {
      const { promise, resolve } = Promise.withResolvers<SampleResponse>()
      pending.set(number, resolve)
      if (isUnresponsive(number)) resolve(lastCounters(number))
      else sendTo(worker, { kind: 'sample', requestId })
      return promise
    })
    const timer = setTimeout(() => {
      for (const [number, respond] of pending) respond(lastCounters(number))
    }, RESPONSE_TIMEOUT_MS)
    const responses = await Promise.all(requested)
    clearTimeout(timer)
    openRequests.delete(requestId)
    responding = responses.filter(({ isCurrent }) => isCurrent).length
    return responses.map(({ samples }) => samples)
  }

  const measure = async (): Promise<{ type: string; text: string }> => {
    // The totals of ended processes are read before the sampling. If a process ends during the sampling, its response
    // and the later totals could both include its counters.
    const endedBefore = endedTotals
    const registry = AggregatorRegistry.aggregate([
      ...(await sample()),
      await endedBefore,
      await parentMetrics.samples(),
    ])
    return { type: registry.contentType, text: await registry.metrics() }
  }

  return {
    handleMessage(number, message) {
      // The last message of a process may arrive after the process has ended. The totals then already include its
      // counters.
      if (!running.has(number)) return
      if (message.kind === 'samples') {
        lastSamples.set(number, message.samples)
        openRequests.get(message.requestId)?.get(number)?.({ isCurrent: true, samples: message.samples })
      } else if (message.kind === 'measure') {
        void measure().then(
          (measured) => {
            const worker = running.get(number)
            if (worker !== undefined) sendTo(worker, { kind: 'measured', requestId: message.requestId, ...measured })
          },
          (error: unknown) => log.warn({ err: error }, 'cannot combine the metrics of the server processes'),
        )
      }
    },
    ended(number) {
      const last = lastCounters(number)
      for (const pending of openRequests.values()) pending.get(number)?.(last)
      endedTotals = endedTotals.then((before) =>
        AggregatorRegistry.aggregate([before, last.samples]).getMetricsAsJSON(),
      )
      lastSamples.delete(number)
    },
  }
}

/**
 * Selects counters and histograms, which are added up over all processes. Omits metrics of the Node.js process itself.
 * They are labeled with the number of the process, and start again at zero in its replacement.
 */
const countersIn = (samples: Samples): Samples =>
  samples.filter(({ name, type }) => name.startsWith('muster_') && cumulativeTypes.has(String(type)))

const cumulativeTypes = new Set(['counter', 'histogram'])

import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

interface Metric {
  name: string
  type: 'gauge' | 'counter' | 'histogram'
  /** What the values are told apart by, where there are several. */
  label?: string
  help: string
  /** Upper bounds of a histogram's buckets. */
  buckets?: readonly number[]
}

/**
 * The only table of what is measured: docs/reference/metrics.md is made from it. A feature has its value read, or counts, by
 * the key here, in a file `<feature>.metrics.ts` of its own.
 */
export const metricTable = {
  feedLagSeconds: {
    name: 'muster_event_feed_lag_seconds',
    type: 'gauge',
    help: 'Age of the oldest event that may be committed and that this process has not handed on to subscriptions and webhooks. A transaction that stays open raises it.',
  },
  feedLagEvents: {
    name: 'muster_event_feed_lag_events',
    type: 'gauge',
    help: 'Numbers of events drawn and not handed on yet; those of changes that were rolled back count as well.',
  },
  makerLagSeconds: {
    name: 'muster_webhook_maker_lag_seconds',
    type: 'gauge',
    help: 'Age of the oldest event handed on from which no webhook deliveries have been made yet.',
  },
  makerLagEvents: {
    name: 'muster_webhook_maker_lag_events',
    type: 'gauge',
    help: 'Numbers of events handed on from which no webhook deliveries have been made yet.',
  },
  deliveries: {
    name: 'muster_webhook_deliveries',
    type: 'gauge',
    label: 'status',
    help: 'Webhook deliveries in the database that are pending (still to be sent, or to be tried again) or failed; up to 15 seconds old.',
  },
  deliveriesDueSeconds: {
    name: 'muster_webhook_due_seconds',
    type: 'gauge',
    help: 'How long the pending delivery that has been due for longest has been so, of webhooks whose receivers are not given up for now; up to 15 seconds old.',
  },
  attempts: {
    name: 'muster_webhook_attempts_total',
    type: 'counter',
    label: 'outcome',
    help: 'Attempts of this process to send a delivery: delivered, refused (any status but 200 to 299) or unanswered.',
  },
  attemptSeconds: {
    name: 'muster_webhook_attempt_seconds',
    type: 'histogram',
    help: 'Time from the beginning of an attempt to the end of its answer.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  },
  devicesConnected: {
    name: 'muster_devices_connected',
    type: 'gauge',
    help: 'Devices that hold a connection to this process.',
  },
  mqttConnections: {
    name: 'muster_mqtt_connections',
    type: 'gauge',
    help: 'MQTT connections of this process, those that have not signed on yet included.',
  },
  mqttRefusals: {
    name: 'muster_mqtt_refusals_total',
    type: 'counter',
    label: 'reason',
    help: 'Connections, sign-ons, publications and subscriptions that this process refused, by the reason that the log gives.',
  },
  requestsUnderWay: {
    name: 'muster_requests_under_way',
    type: 'gauge',
    help: 'Requests that this process is working on, streams apart.',
  },
  requestsShed: {
    name: 'muster_requests_shed_total',
    type: 'counter',
    label: 'reason',
    help: 'Requests that this process answered 503 unseen, for there were too many under way (requests) or the event loop took too long (lag).',
  },
  rateLimited: {
    name: 'muster_rate_limited_total',
    type: 'counter',
    label: 'policy',
    help: 'Times that points were not there when this process was to take them, by whose they are: key, user, address or device.',
  },
  certificateSeconds: {
    name: 'muster_certificate_seconds',
    type: 'gauge',
    label: 'port',
    help: 'Time until the certificate ends that this process shows on its port for http or mqtt; below 0 where it has ended.',
  },
  jobs: {
    name: 'muster_jobs',
    type: 'gauge',
    label: 'state',
    help: 'Jobs in the queue: scheduled for later, ready to run, running, or failed for good; up to 15 seconds old.',
  },
} as const satisfies Record<string, Metric>

type Key = keyof typeof metricTable
type KeyOf<Type extends Metric['type']> = {
  [Each in Key]: (typeof metricTable)[Each]['type'] extends Type ? Each : never
}[Key]

/** A value, or one for each value of the label; undefined where there is none now. */
export type Reading = number | undefined | Readonly<Record<string, number>>

/** Collects what is measured in this process. */
export interface Metrics {
  /** `read` is asked when the metrics are, and again once its last answer is `keptMs` old. While it fails there is no value. */
  gauge(key: KeyOf<'gauge'>, read: () => Reading | Promise<Reading>, keptMs?: number): void
  /** Returns what adds one. */
  counter(key: KeyOf<'counter'>): (label: string) => void
  /** Returns what adds a value. */
  histogram(key: KeyOf<'histogram'>): (value: number) => void
  /** All of it in the text format of Prometheus. */
  text(): Promise<{ type: string; text: string }>
}

/** What does not answer in this time is left out: whoever asks would not wait for it. */
const READ_MS = 3_000

/** `ofProcess`: memory, processor time, event loop and garbage collection too, once in a process. */
export function createMetrics({ ofProcess = false } = {}): Metrics {
  const registry = new Registry()
  const registers = [registry]
  if (ofProcess) collectDefaultMetrics({ register: registry })
  const reads: (() => Promise<void>)[] = []

  return {
    gauge(key, read, keptMs = 0) {
      const { name, help, label }: Metric = metricTable[key]
      const gauge = new Gauge({ name, help, labelNames: label === undefined ? [] : [label], registers })
      const kept = keep(read, keptMs)
      reads.push(async () => set(gauge, label, await inTime(kept())))
    },
    counter(key) {
      const { name, help, label } = metricTable[key]
      const counter = new Counter({ name, help, labelNames: [label], registers })
      return (value) => counter.inc({ [label]: value })
    },
    histogram(key) {
      const { name, help, buckets } = metricTable[key]
      const histogram = new Histogram({ name, help, buckets: [...buckets], registers })
      return (value) => histogram.observe(value)
    },
    async text() {
      await Promise.all(reads.map((read) => read()))
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}

function set(gauge: Gauge, label: string | undefined, reading: Reading): void {
  gauge.reset()
  if (typeof reading === 'number') gauge.set(reading)
  else if (label === undefined) gauge.remove()
  else for (const [value, number] of Object.entries(reading ?? {})) gauge.set({ [label]: value }, number)
}

/** However many ask, one question is on its way, and an answer serves for a while. */
function keep(read: () => Reading | Promise<Reading>, forMs: number): () => Promise<Reading> {
  let answer: Promise<Reading> | undefined
  let forget = Number.POSITIVE_INFINITY
  return () => {
    if (answer !== undefined && performance.now() < forget) return answer
    forget = Number.POSITIVE_INFINITY
    answer = (async () => read())().catch(() => undefined)
    void answer.then((reading) => {
      forget = reading === undefined ? 0 : performance.now() + forMs
    })
    return answer
  }
}

async function inTime(reading: Promise<Reading>): Promise<Reading> {
  const timer = new AbortController()
  const late = sleep(READ_MS, undefined, { signal: timer.signal, ref: false }).catch(() => undefined)
  return Promise.race([reading, late]).finally(() => timer.abort())
}

/**
 * `npm run test:overload -- [--seconds N] [--times N] [--most N] [--standing N]` measures the rate that the server can
 * handle. Then, for `--seconds`, sends signed requests at this rate multiplied by `--times`. `--most` and `--standing`
 * set MUSTER_MOST_REQUESTS and MUSTER_MOST_STANDING. Exits with code 1 if a response is neither 200 nor 503, or if
 * rejections take too long.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { cpuWait } from '../../../../benchmarks/mqtt/fleet-server.ts'
import { positiveNumber } from '../../../../benchmarks/run/options.ts'
import { startEnvironment } from './environment.ts'
import { createSender, type Sender } from './sender.ts'
import { createTimes, type Times } from './times.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    times: { type: 'string', default: '4' },
    most: { type: 'string', default: '' },
    standing: { type: 'string', default: '' },
  },
})
const seconds = positiveNumber('--seconds', values.seconds)
const times = positiveNumber('--times', values.times)
// The test signs requests in advance, and a signature is valid for five minutes.
if (seconds > 240) throw new Error(`--seconds must be at most 240, not ${values.seconds}`)
const DEVICES = 1_000
/** This number of concurrent requests keeps the server busy, and is below its limit on requests in flight. */
const CONCURRENT = 64
/**
 * The number of clients, four times the server's default limit on requests in flight. Each client waits for its
 * response before its next request.
 */
const CONNECTIONS = 2_000
const WARM_UP_S = 5
const TICK_MS = 2
const POLL_MS = 50
const REJECTED_WITHIN_MS = 50

interface Measurement {
  sent: number
  /** Requests that were due while all clients were waiting. */
  notSent: number
  accepted: Times
  rejected: Times
  /** Counts of other statuses and errors, keyed by status or error. */
  others: Map<string, number>
}

const count = ({ buckets }: Times): number => buckets.reduce((sum, each) => sum + each, 0)
const ms = (times: Times, part: number): string => `${times.percentile(part).toFixed(1)} ms`

/** Measures the server's throughput with CONCURRENT clients, in responses per second. */
async function findCapacity(sender: Sender, forSeconds: number): Promise<number> {
  const end = performance.now() + forSeconds * 1_000
  let responses = 0
  const work = async (): Promise<void> => {
    while (performance.now() < end) if ((await sender.send()) === 200) responses++
  }
  await Promise.all(Array.from({ length: CONCURRENT }, work))
  return responses / forSeconds
}

async function overload(sender: Sender, rate: number): Promise<Measurement> {
  const found: Measurement = {
    sent: 0,
    notSent: 0,
    accepted: createTimes(),
    rejected: createTimes(),
    others: new Map(),
  }
  const inFlight = new Set<Promise<void>>()
  const send = async (due: number): Promise<void> => {
    const status = await sender.send().catch(({ code, name }: NodeJS.ErrnoException) => code ?? name)
    const duration = performance.now() - due
    if (status === 200) found.accepted.add(duration)
    else if (status === 503) found.rejected.add(duration)
    else found.others.set(String(status), (found.others.get(String(status)) ?? 0) + 1)
  }
  const end = performance.now() + seconds * 1_000
  for (let due = performance.now(); due < end; await sleep(TICK_MS)) {
    for (const now = performance.now(); due <= now; due += 1_000 / rate) {
      if (sender.free === 0) {
        found.notSent++
        continue
      }
      found.sent++
      const one = send(due).finally(() => inFlight.delete(one))
      inFlight.add(one)
    }
  }
  await Promise.all(inFlight)
  return found
}

/** Measures the response times of /healthz until `signal` is aborted. Throws if a response status is not 200. */
async function watchHealth(url: string, signal: AbortSignal): Promise<Times> {
  const times = createTimes()
  const pool = new Pool(url, { connections: 1 })
  while (!signal.aborted) {
    const started = performance.now()
    const { statusCode, body } = await pool.request({ path: '/healthz', method: 'GET' })
    await body.dump()
    if (statusCode !== 200) throw new Error(`/healthz responded with status ${statusCode}`)
    times.add(performance.now() - started)
    await sleep(POLL_MS)
  }
  await pool.destroy()
  return times
}

/** Measures the share of time that the server and the sender wait for a CPU, until the returned function is called. */
async function measureCpuWaits(): Promise<() => Promise<string>> {
  const read = () => Promise.all([environment.cpuWait(), cpuWait(process.pid)])
  const started = performance.now()
  const before = await read()
  return async () => {
    const elapsed = performance.now() - started
    const shares = (await read()).map((wait, index) => `${Math.round((100 * (wait - before[index]!)) / elapsed)}%`)
    return shares.join(', ')
  }
}

const environment = await startEnvironment(DEVICES, {
  MUSTER_MOST_REQUESTS: values.most,
  MUSTER_MOST_STANDING: values.standing,
  MUSTER_MOST_LAG: '',
  MUSTER_DATABASE_SILENCE: '',
})
const sender = await createSender(environment, CONNECTIONS)
try {
  await findCapacity(sender, WARM_UP_S)
  const capacity = await findCapacity(sender, WARM_UP_S)
  const rate = capacity * times
  const over = new AbortController()
  const watched = watchHealth(environment.url, over.signal)
  const ownLag = monitorEventLoopDelay({ resolution: 1 })
  ownLag.enable()
  const cpuWaits = await measureCpuWaits()
  const found = await overload(sender, rate)
  const waits = await cpuWaits()
  over.abort()
  const health = await watched
  const others = Array.from(found.others, ([status, times]) => `${times} × ${status}`)
  const isFast = found.rejected.percentile(0.99) <= REJECTED_WITHIN_MS
  console.table({
    'responses per second to 64 clients': Math.round(capacity),
    'sent per second': Math.round(found.sent / seconds),
    'not sent per second, because all clients were waiting': Math.round(found.notSent / seconds),
    'accepted per second': Math.round(count(found.accepted) / seconds),
    'rejected per second': Math.round(count(found.rejected) / seconds),
    'other statuses': others.join(', ') || 0,
    'accepted: p50, p99': `${ms(found.accepted, 0.5)}, ${ms(found.accepted, 0.99)}`,
    'rejected: p50, p99': `${ms(found.rejected, 0.5)}, ${ms(found.rejected, 0.99)}`,
    '/healthz: p50, p99': `${ms(health, 0.5)}, ${ms(health, 0.99)}`,
    'waited for a CPU: server, sender': waits,
    "delay of the sender's event loop: p50, p99": `${(ownLag.percentile(50) / 1e6).toFixed(1)} ms, ${(ownLag.percentile(99) / 1e6).toFixed(1)} ms`,
  })
  if (others.length > 0 || !isFast) process.exitCode = 1
} finally {
  sender.close()
  await environment.stop()
}

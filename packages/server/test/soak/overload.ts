/**
 * `npm run test:overload -- [--seconds N] [--times N] [--most N] [--standing N]`: more signed requests than the server can answer, sent when they are due whether
 * answers come or not. Ends with 1 where one is answered otherwise than by what it asks for or by 503, or where being turned away takes long.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { layGround } from './ground.ts'
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
const seconds = Number(values.seconds)
// Requests are signed before, and a signature holds for five minutes.
if (!(seconds > 0 && seconds <= 240)) throw new Error('--seconds is a number above 0, 240 at most')
const DEVICES = 1_000
/** Enough to keep the server at work, and no more than it takes at a time. */
const AT_ONCE = 64
/** Clients that are there, several times as many as the server takes at a time; each waits for its answer before it asks again. */
const CONNECTIONS = 2_000
const WARM_UP_S = 5
const TICK_MS = 2
const LOOK_MS = 50
const SHED_WITHIN_MS = 50

interface Found {
  sent: number
  /** Nobody was there who did not wait. */
  notSent: number
  answered: Times
  shed: Times
  /** By what went wrong. */
  others: Map<string, number>
}

const count = ({ buckets }: Times): number => buckets.reduce((sum, each) => sum + each, 0)
const ms = (times: Times, part: number): string => `${times.percentile(part).toFixed(1)} ms`

/** So many at a time, each followed by the next: what the server can answer a second. */
async function findCapacity(sender: Sender, forSeconds: number): Promise<number> {
  const end = performance.now() + forSeconds * 1_000
  let answered = 0
  const work = async (): Promise<void> => {
    while (performance.now() < end) if ((await sender.send()) === 200) answered++
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return answered / forSeconds
}

async function overload(sender: Sender, rate: number): Promise<Found> {
  const found: Found = { sent: 0, notSent: 0, answered: createTimes(), shed: createTimes(), others: new Map() }
  const underWay = new Set<Promise<void>>()
  const send = async (due: number): Promise<void> => {
    const told = await sender.send().catch(({ code, name }: NodeJS.ErrnoException) => code ?? name)
    const took = performance.now() - due
    if (told === 200) found.answered.add(took)
    else if (told === 503) found.shed.add(took)
    else found.others.set(String(told), (found.others.get(String(told)) ?? 0) + 1)
  }
  const end = performance.now() + seconds * 1_000
  for (let due = performance.now(); due < end; await sleep(TICK_MS)) {
    for (const now = performance.now(); due <= now; due += 1_000 / rate) {
      if (sender.free === 0) {
        found.notSent++
        continue
      }
      found.sent++
      const one = send(due).finally(() => underWay.delete(one))
      underWay.add(one)
    }
  }
  await Promise.all(underWay)
  return found
}

/** How long the server's health takes all the while. */
async function watchHealth(url: string, signal: AbortSignal): Promise<Times> {
  const times = createTimes()
  const pool = new Pool(url, { connections: 1 })
  while (!signal.aborted) {
    const began = performance.now()
    const { statusCode, body } = await pool.request({ path: '/healthz', method: 'GET' })
    await body.dump()
    if (statusCode !== 200) throw new Error(`/healthz answers ${statusCode}`)
    times.add(performance.now() - began)
    await sleep(LOOK_MS)
  }
  await pool.destroy()
  return times
}

const ground = await layGround(DEVICES, {
  MUSTER_MOST_REQUESTS: values.most,
  MUSTER_MOST_STANDING: values.standing,
  MUSTER_MOST_LAG: '',
  MUSTER_DATABASE_SILENCE: '',
})
const sender = await createSender(ground, CONNECTIONS)
try {
  await findCapacity(sender, WARM_UP_S)
  const capacity = await findCapacity(sender, WARM_UP_S)
  const rate = capacity * Number(values.times)
  const over = new AbortController()
  const watched = watchHealth(ground.url, over.signal)
  const ownLag = monitorEventLoopDelay({ resolution: 1 })
  ownLag.enable()
  const found = await overload(sender, rate)
  over.abort()
  const health = await watched
  const wrong = Array.from(found.others, ([what, times]) => `${times} times ${what}`)
  const isQuick = found.shed.percentile(0.99) <= SHED_WITHIN_MS
  console.table({
    'answered a second, asked by 64 at a time': Math.round(capacity),
    'sent a second': Math.round(found.sent / seconds),
    'not sent a second, all clients waiting': Math.round(found.notSent / seconds),
    'answered a second': Math.round(count(found.answered) / seconds),
    'turned away a second': Math.round(count(found.shed) / seconds),
    otherwise: wrong.join(', ') || 0,
    'answered: p50, p99': `${ms(found.answered, 0.5)}, ${ms(found.answered, 0.99)}`,
    'turned away: p50, p99': `${ms(found.shed, 0.5)}, ${ms(found.shed, 0.99)}`,
    '/healthz: p50, p99': `${ms(health, 0.5)}, ${ms(health, 0.99)}`,
    'of that the sender behind: p50, p99': `${(ownLag.percentile(50) / 1e6).toFixed(1)} ms, ${(ownLag.percentile(99) / 1e6).toFixed(1)} ms`,
  })
  if (wrong.length > 0 || !isQuick) process.exitCode = 1
} finally {
  sender.close()
  await ground.stop()
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Load } from './load.ts'

const POLL_MS = 5_000
/** The server is behind if the number of requests in flight exceeds both 10 and the load of this many seconds. */
const BEHIND_SECONDS = 0.5
/** The rate is too high if this many consecutive polls find the server behind. A single pause proves nothing. */
const BEHIND_POLLS = 4
const KEEPING_UP_POLLS = 2
/** The factor by which a lowered rate increases while the server keeps up. */
const INCREASE = 1.1
/** How long the server must sustain a rate. */
const SUSTAINED_FOR_MS = 60_000
/** The highest rate to try after the server was behind, as a share of the rate at which it fell behind. */
const BELOW_FAILED = 0.8
/** The maximum length of the warm-up, as a multiple of the configured length, if no rate is sustained earlier. */
const MAX_WARM_UPS = 3
const CATCH_UP_WITHIN_MS = 120_000

/** Returns the target rate, or a lower one if requests queue up. Finding a lower rate can triple the warm-up. */
export async function findSustainedRate(load: Load, target: number, warmUpMinutes: number): Promise<number> {
  const started = performance.now()
  let rate = target
  let highest = target
  /** The number of consecutive polls with the same result, negative if the server kept up. */
  let polls = 0
  let responses = 0
  let sustainedSince = started
  const isBehind = (): boolean => load.inFlight > Math.max(10, rate * BEHIND_SECONDS)
  const isFound = (): boolean => {
    const minutes = (performance.now() - started) / 60_000
    if (minutes < warmUpMinutes) return false
    return minutes >= warmUpMinutes * MAX_WARM_UPS || performance.now() - sustainedSince >= SUSTAINED_FOR_MS
  }
  const setRate = (to: number): void => {
    rate = to
    console.log(`warming up: ${load.inFlight} requests in flight; now ${rate} per second`)
    load.setRate(rate)
    polls = 0
    responses = 0
  }

  while (!isFound()) {
    await sleep(POLL_MS)
    responses += load.take().responses
    const behind = isBehind()
    if (behind) sustainedSince = performance.now()
    if (behind !== polls > 0) {
      polls = 0
      responses = 0
    }
    polls += behind ? 1 : -1
    if (polls === BEHIND_POLLS) {
      highest = Math.max(1, Math.floor(rate * BELOW_FAILED))
      const sustained = responses / (((BEHIND_POLLS - 1) * POLL_MS) / 1_000)
      setRate(Math.max(1, Math.floor(Math.min(highest, sustained * 0.9))))
    } else if (polls <= -KEEPING_UP_POLLS && rate < highest) {
      setRate(Math.min(highest, Math.ceil(rate * INCREASE)))
      sustainedSince = performance.now()
    }
  }
  await catchUp(isBehind)
  load.take()
  return rate
}

/** Waits up to two minutes for the server to catch up, so that the measurement does not include the backlog. */
async function catchUp(isBehind: () => boolean): Promise<void> {
  const end = performance.now() + CATCH_UP_WITHIN_MS
  while (isBehind() && performance.now() < end) await sleep(200)
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Load } from './load.ts'

const LOOK_MS = 5_000
/** So many seconds' worth of requests under way, and the server is not keeping up. */
const BEHIND_SECONDS = 0.5
/** A moment in which everything waits, of which there are some, is not enough to judge by. */
const BEHIND_LOOKS = 4
const WELL_LOOKS = 2
/** A lowered rate climbs by this much while it is kept up with. */
const CLIMB = 1.1
/** The rate that is found has been held for so long. */
const HELD_FOR_MS = 60_000
/** Of the warm-up, for a rate that is found late. */
const MOST_TIMES = 3
const CAUGHT_UP_WITHIN_MS = 120_000

/**
 * Lets the server warm up, and finds the rate that it holds: the wanted one, or less where requests pile up. Takes as long as asked for,
 * and up to three times that until a rate has been held for a minute. Returns it; what is judged is sent at that.
 */
export async function findHeldRate(load: Load, wanted: number, warmUpMinutes: number): Promise<number> {
  const started = performance.now()
  let rate = wanted
  /** How often in turn it was behind, or not. */
  let looks = 0
  let answered = 0
  let heldSince = started
  const isBehind = (): boolean => load.underWay > Math.max(10, rate * BEHIND_SECONDS)
  const isFound = (): boolean => {
    const minutes = (performance.now() - started) / 60_000
    if (minutes < warmUpMinutes) return false
    return minutes >= warmUpMinutes * MOST_TIMES || performance.now() - heldSince >= HELD_FOR_MS
  }
  const setRate = (to: number): void => {
    rate = to
    console.log(`warming up: ${load.underWay} requests under way; ${rate} a second from now on`)
    load.setRate(rate)
    looks = 0
    answered = 0
  }

  while (!isFound()) {
    await sleep(LOOK_MS)
    answered += load.take().answered
    const behind = isBehind()
    if (behind) heldSince = performance.now()
    if (behind !== looks > 0) {
      looks = 0
      answered = 0
    }
    looks += behind ? 1 : -1
    if (looks === BEHIND_LOOKS) {
      const held = answered / (((BEHIND_LOOKS - 1) * LOOK_MS) / 1_000)
      setRate(Math.max(1, Math.floor(Math.min(rate, held) * 0.9)))
    } else if (looks <= -WELL_LOOKS && rate < wanted) {
      setRate(Math.min(wanted, Math.ceil(rate * CLIMB)))
      heldSince = performance.now()
    }
  }
  await catchUp(isBehind)
  load.take()
  return rate
}

/** What piled up before is no part of what is judged. */
async function catchUp(isBehind: () => boolean): Promise<void> {
  const end = performance.now() + CAUGHT_UP_WITHIN_MS
  while (isBehind() && performance.now() < end) await sleep(200)
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Load } from './load.ts'

const LOOK_MS = 5_000
/** So many seconds' worth of requests under way, and the server is not keeping up. */
const BEHIND_SECONDS = 0.5
/** A moment is not enough to judge by. */
const LOOKS = 2
const CAUGHT_UP_WITHIN_MS = 120_000

/**
 * Lets the server warm up, and finds the rate that it holds: the wanted one, or less where requests pile up. Returns it; what is
 * judged is sent at that.
 */
export async function findHeldRate(load: Load, wanted: number, warmUpMinutes: number): Promise<number> {
  let rate = wanted
  let looks = 0
  let answered = 0
  const isBehind = (): boolean => load.underWay > Math.max(10, rate * BEHIND_SECONDS)
  const end = performance.now() + warmUpMinutes * 60_000
  while (performance.now() < end) {
    await sleep(LOOK_MS)
    answered += load.take().answered
    if (isBehind() !== looks > 0) {
      looks = 0
      answered = 0
    }
    looks += isBehind() ? 1 : -1
    if (Math.abs(looks) < LOOKS || (!isBehind() && rate === wanted)) continue
    const held = answered / ((LOOKS * LOOK_MS) / 1_000)
    rate = isBehind() ? Math.max(1, Math.floor(Math.min(rate, held) * 0.9)) : Math.min(wanted, Math.ceil(rate * 1.05))
    console.log(`warming up: ${load.underWay} requests under way; ${rate} a second from now on`)
    load.setRate(rate)
    looks = 0
    answered = 0
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

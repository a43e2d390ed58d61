import { performance } from 'node:perf_hooks'

/** Repeats `act` until it is fast enough for its result to be valid. The test timeout limits the repetitions. */
export async function repeatUntilFast<Value>(milliseconds: number, act: () => Promise<Value>): Promise<Value> {
  for (;;) {
    const started = performance.now()
    const value = await act()
    if (performance.now() - started < milliseconds) return value
  }
}

import { performance } from 'node:perf_hooks'

/** Repeats `act` until it is fast, because slowness changes its result. The test timeout limits the repetitions. */
export async function repeatUntilFast<Value>(milliseconds: number, act: () => Promise<Value>): Promise<Value> {
  for (;;) {
    const started = performance.now()
    const value = await act()
    if (performance.now() - started < milliseconds) return value
  }
}

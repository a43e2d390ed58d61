import { performance } from 'node:perf_hooks'

/**
 * Repeats `act` until a call takes less than `milliseconds`, because the result of a slower call is not valid. Returns
 * the result. Only the test timeout limits the repetitions.
 */
export async function repeatUntilFast<Value>(milliseconds: number, act: () => Promise<Value>): Promise<Value> {
  for (;;) {
    const started = performance.now()
    const value = await act()
    if (performance.now() - started < milliseconds) return value
  }
}

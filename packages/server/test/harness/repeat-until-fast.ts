import { performance } from 'node:perf_hooks'

/**
 * Repeats an action until it takes less than a number of milliseconds, and returns that result. Use it where a slow
 * machine would change the result. The timeout of the test limits the repetitions.
 */
export async function repeatUntilFast<Value>(milliseconds: number, act: () => Promise<Value>): Promise<Value> {
  for (;;) {
    const started = performance.now()
    const value = await act()
    if (performance.now() - started < milliseconds) return value
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from './environment.ts'
import type { Load, LoadCounts } from './load.ts'
import { printMinute } from './report.ts'
import type { Measured } from './samples.ts'
import { type Sample, sampleMemory, takeSample } from './samples.ts'
import { createTimes } from './times.ts'

const SAMPLE_MS = 5_000
/** The test measures memory only with every sixth sample, because a measurement stops the server for a moment. */
const MEMORY_EVERY = 6

/** Samples the server every five seconds, prints the results of each minute, and returns all results. */
export async function measure(environment: Environment, load: Load, minutes: number): Promise<Measured> {
  const measured: Measured = { samples: [], memory: [], times: createTimes(), sent: 0, responses: 0, errors: {} }
  const started = performance.now()
  const minutesSoFar = (): number => (performance.now() - started) / 60_000
  for (let minute = 1; minute <= Math.ceil(minutes); minute++) {
    const samples: Sample[] = []
    do {
      if (samples.length % MEMORY_EVERY === 0) measured.memory.push(await sampleMemory(environment, minutesSoFar()))
      samples.push(await takeSample(environment, minutesSoFar()))
      await sleep(SAMPLE_MS)
    } while (minutesSoFar() < Math.min(minute, minutes))
    const counts = load.take()
    collect(measured, counts)
    measured.samples.push(...samples)
    printMinute(minute, counts, samples, measured.memory.at(-1)!)
  }
  return measured
}

export function collect(into: Measured, counts: LoadCounts): void {
  into.sent += counts.sent
  into.responses += counts.responses
  into.times.addAll(counts.times)
  for (const [error, count] of Object.entries(counts.errors)) into.errors[error] = (into.errors[error] ?? 0) + count
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Ground } from './ground.ts'
import type { Load, LoadCounts } from './load.ts'
import { printMinute } from './report.ts'
import type { Measured } from './samples.ts'
import { type Sample, takeSample } from './samples.ts'
import { createTimes } from './times.ts'

const SAMPLE_MS = 5_000

/** Looks at the server again and again, and prints what each minute was like. */
export async function measure(ground: Ground, load: Load, minutes: number): Promise<Measured> {
  const measured: Measured = { samples: [], times: createTimes(), sent: 0, answered: 0, errors: {} }
  const began = performance.now()
  const minutesSoFar = (): number => (performance.now() - began) / 60_000
  for (let minute = 1; minute <= Math.ceil(minutes); minute++) {
    const samples: Sample[] = []
    do {
      samples.push(await takeSample(ground, minutesSoFar()))
      await sleep(SAMPLE_MS)
    } while (minutesSoFar() < Math.min(minute, minutes))
    const counts = load.take()
    collect(measured, counts)
    measured.samples.push(...samples)
    printMinute(minute, counts, samples)
  }
  return measured
}

export function collect(into: Measured, counts: LoadCounts): void {
  into.sent += counts.sent
  into.answered += counts.answered
  into.times.addAll(counts.times)
  for (const [what, count] of Object.entries(counts.errors)) into.errors[what] = (into.errors[what] ?? 0) + count
}

import { appendFileSync } from 'node:fs'

/**
 * The seed and the number of inputs of each kind, set by `run.ts`. `npm test` uses a few inputs, which are the same in
 * each run.
 */
interface Scale {
  seed: number
  signatures: number
  documents: number
  strings: number
  bodies: number
  filters: number
  packets: number
}

const short: Scale = { seed: 1, signatures: 400, documents: 100, strings: 1, bodies: 100, filters: 300, packets: 60 }

export const isLongRun = process.env.FUZZ !== undefined

export const scale: Scale = { ...short, ...(JSON.parse(process.env.FUZZ ?? '{}') as Partial<Scale>) }

/** The tests send hundreds of requests, which takes a long time on a slow machine. */
export const longTimeout = { timeout: isLongRun ? 0 : 600_000 }

/** Prints figures of `npm run test:fuzz` and records them for the table that `run.ts` prints at the end. */
export function report(figures: Record<string, unknown>): void {
  if (!isLongRun) return
  const line = JSON.stringify({ seed: scale.seed, ...figures })
  console.log(line)
  if (process.env.FUZZ_FIGURES !== undefined) appendFileSync(process.env.FUZZ_FIGURES, `${line}\n`)
}

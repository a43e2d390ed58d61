import { appendFileSync } from 'node:fs'

/** How much is tried. `run.ts` says so for a run by hand; without it, in the tests of every day, little and always the same. */
interface Scale {
  seed: number
  signatures: number
  documents: number
  /** Of the naughty texts, how many each argument and cell is given. */
  texts: number
  bodies: number
  packets: number
}

const everyDay: Scale = { seed: 1, signatures: 400, documents: 100, texts: 1, bodies: 100, packets: 60 }

export const isByHand = process.env.FUZZ !== undefined

export const scale: Scale = { ...everyDay, ...(JSON.parse(process.env.FUZZ ?? '{}') as Partial<Scale>) }

/** Hundreds of requests one after the other: a slow machine is no failure. */
export const patience = { timeout: isByHand ? 0 : 600_000 }

/** Tells the figures of a run by hand, and has `run.ts` tell those that stand at the end once more. */
export function report(figures: Record<string, unknown>): void {
  if (!isByHand) return
  const line = JSON.stringify({ seed: scale.seed, ...figures })
  console.log(line)
  if (process.env.FUZZ_FIGURES !== undefined) appendFileSync(process.env.FUZZ_FIGURES, `${line}\n`)
}

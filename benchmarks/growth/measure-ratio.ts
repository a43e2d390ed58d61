import { type Spread, spreadOf } from '../report/statistics.ts'
import type { TimedResponse } from './timed-requests.ts'

/** Two requests to compare. The ratio of their times shows how the time grows, for example with the fleet's size. */
export interface Row {
  title: string
  /** Names of the two sides. Default: `small fleet` and `large fleet`. */
  smallName?: string
  largeName?: string
  /** Maximum ratio of the large side's time to the small side's time. */
  target?: number
  /** Limits on the large side's median time and longest time, in milliseconds. */
  targetMs?: { median: number; longest?: number }
  /** Sends the request for the small side. `turn` counts the pairs of requests from 0. */
  small(turn: number): Promise<TimedResponse>
  large(turn: number): Promise<TimedResponse>
  /** Starts load that runs during the measurement. The returned function stops the load and describes it. */
  startBackgroundLoad?: () => () => Promise<BackgroundLoad>
}

/** The load that ran during the measurement. If the load was too low, the row misses its target. */
export interface BackgroundLoad {
  note: string
  isEnough: boolean
}

export interface Result {
  row: Row
  small: Spread
  large: Spread
  longest: number
  ratio: Spread
  backgroundLoad: BackgroundLoad | undefined
}

export interface MeasureOptions {
  rounds: number
  turns: number
}

/**
 * Sends the small and the large request alternately, so that other activity on the machine affects both. Omits the
 * first round, a warm-up, from the result.
 */
export async function measure(row: Row, { rounds, turns }: MeasureOptions): Promise<Result> {
  const stopBackgroundLoad = row.startBackgroundLoad?.()
  const medians: { small: number; large: number }[] = []
  let longest = 0
  let turn = 0
  for (let round = 0; round <= rounds; round++) {
    const small: number[] = []
    const large: number[] = []
    for (let i = 0; i < turns; i++, turn++) {
      small.push((await row.small(turn)).milliseconds)
      large.push((await row.large(turn)).milliseconds)
    }
    if (round > 0) longest = Math.max(longest, ...large)
    if (round > 0) medians.push({ small: spreadOf(small).median, large: spreadOf(large).median })
  }
  return {
    row,
    small: spreadOf(medians.map((round) => round.small)),
    large: spreadOf(medians.map((round) => round.large)),
    longest,
    ratio: spreadOf(medians.map((round) => round.large / round.small)),
    backgroundLoad: await stopBackgroundLoad?.(),
  }
}

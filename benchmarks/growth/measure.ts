import { type Spread, spreadOf } from '../report/statistics.ts'
import type { TimedResponse } from './sender.ts'

/** Two requests to compare. The ratio of their times shows the growth of the cost. */
export interface Row {
  title: string
  /** Names of the two sides. Default: `small fleet` and `large fleet`. */
  smallName?: string
  largeName?: string
  /** Maximum ratio of large to small. */
  target?: number
  /** Maximum times of the large side in milliseconds: of the median, and of each request. */
  targetMs?: { median: number; longest?: number }
  /** Called alternately with `large`. `turn` is the number of the pair of calls. */
  small(turn: number): Promise<TimedResponse>
  large(turn: number): Promise<TimedResponse>
  /** Starts load that runs during the measurement. The returned function stops the load. */
  startBackgroundLoad?: () => () => Promise<BackgroundLoad>
}

/** The achieved load. If the load was too low, the row misses its target. */
export interface BackgroundLoad {
  note: string
  isEnough: boolean
}

export interface Result {
  row: Row
  /** In milliseconds. */
  small: Spread
  large: Spread
  /** The longest request of the large side, in milliseconds. */
  longest: number
  ratio: Spread
  backgroundLoad: BackgroundLoad | undefined
}

export interface MeasureOptions {
  rounds: number
  /** Number of pairs of requests in a round. */
  turns: number
}

/** Alternates small and large, so that other activity on the machine affects both. Discards the warm-up round. */
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

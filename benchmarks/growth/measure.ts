import { type Spread, spreadOf } from '../report/statistics.ts'
import type { TimedResponse } from './sender.ts'

/** Two requests to compare. The ratio of their times shows how the cost grows. */
export interface Row {
  title: string
  /** The names of the two sides. Default: the small and the large fleet. */
  smallName?: string
  largeName?: string
  /** The maximum ratio of large to small. */
  target?: number
  /** `small` and `large` are called alternately. `turn` is the number of the pair. */
  small(turn: number): Promise<TimedResponse>
  large(turn: number): Promise<TimedResponse>
  /** Starts load that runs during the measurement. The returned function stops it. */
  startBackgroundLoad?: () => () => Promise<BackgroundLoad>
}

/** The achieved load. If it was too low, the row misses its target. */
export interface BackgroundLoad {
  note: string
  isEnough: boolean
}

export interface Result {
  row: Row
  /** In milliseconds. */
  small: Spread
  large: Spread
  ratio: Spread
  backgroundLoad: BackgroundLoad | undefined
}

export interface MeasureOptions {
  rounds: number
  /** The number of pairs of requests in a round. */
  turns: number
}

/** Alternates small and large, so that other activity of the machine affects both. The warm-up round does not count. */
export async function measure(row: Row, { rounds, turns }: MeasureOptions): Promise<Result> {
  const stopBackgroundLoad = row.startBackgroundLoad?.()
  const medians: { small: number; large: number }[] = []
  let turn = 0
  for (let round = 0; round <= rounds; round++) {
    const small: number[] = []
    const large: number[] = []
    for (let i = 0; i < turns; i++, turn++) {
      small.push((await row.small(turn)).milliseconds)
      large.push((await row.large(turn)).milliseconds)
    }
    if (round > 0) medians.push({ small: spreadOf(small).median, large: spreadOf(large).median })
  }
  return {
    row,
    small: spreadOf(medians.map((round) => round.small)),
    large: spreadOf(medians.map((round) => round.large)),
    ratio: spreadOf(medians.map((round) => round.large / round.small)),
    backgroundLoad: await stopBackgroundLoad?.(),
  }
}

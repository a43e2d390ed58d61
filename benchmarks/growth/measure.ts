import { type Spread, spreadOf } from '../report/statistics.ts'
import type { Answer } from './sender.ts'

/** Two questions that should take about as long: how much longer the second takes is how cost grows. */
export interface Row {
  title: string
  /** What is grown, where it is not the fleet. */
  of?: string
  with?: string
  /** The most that the second may take, in times of the first. */
  target?: number
  /** Asked in turn; `turn` counts both up together. */
  small(turn: number): Promise<Answer>
  large(turn: number): Promise<Answer>
  /** Goes on while it is measured. */
  meanwhile?: () => () => Promise<Meanwhile>
}

/** What went on, and whether that was as much as it should have been: the row is not met otherwise. */
export interface Meanwhile {
  note: string
  isEnough: boolean
}

export interface Result {
  row: Row
  /** Milliseconds. */
  small: Spread
  large: Spread
  times: Spread
  meanwhile: Meanwhile | undefined
}

export interface MeasureOptions {
  rounds: number
  /** Of each, in a round. */
  turns: number
}

/** One small, one large, one small, … so that what the machine does meanwhile meets both. A round before the first does not count. */
export async function measure(row: Row, { rounds, turns }: MeasureOptions): Promise<Result> {
  const end = row.meanwhile?.()
  const taken: { small: number; large: number }[] = []
  let turn = 0
  for (let round = 0; round <= rounds; round++) {
    const small: number[] = []
    const large: number[] = []
    for (let each = 0; each < turns; each++, turn++) {
      small.push((await row.small(turn)).took)
      large.push((await row.large(turn)).took)
    }
    if (round > 0) taken.push({ small: spreadOf(small).median, large: spreadOf(large).median })
  }
  return {
    row,
    small: spreadOf(taken.map((round) => round.small)),
    large: spreadOf(taken.map((round) => round.large)),
    times: spreadOf(taken.map((round) => round.large / round.small)),
    meanwhile: await end?.(),
  }
}

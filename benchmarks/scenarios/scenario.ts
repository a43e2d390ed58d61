import type { Contestant } from '../environment/systems.ts'
import type { Load } from '../load/load.ts'
import type { Stage } from '../environment/start-environment.ts'
import type { Spread } from '../report/statistics.ts'

export interface Scenario {
  /** For --only. */
  name: string
  /** For people. */
  title: string
  measure(setting: Setting): Promise<Outcome>
}

/** What a scenario is measured with. */
export interface Setting {
  stage: Stage
  load: Load
  rounds: number
  /** Of load, for each contestant in each round. */
  seconds: number
  /** Contestants that can run here. */
  present: ReadonlySet<Contestant>
  /** Says what is under way. */
  progress(text: string): void
}

export interface Outcome {
  rates: readonly Rate[]
  figures: readonly Figure[]
}

/** What one contestant did. */
export interface Rate {
  name: string
  perSecond: Spread
  /** Milliseconds, of the median round. */
  latency: { p50: number; p99: number }
  /** Milliseconds that its process took for one; undefined where the system does not tell. */
  processorTime: number | undefined
}

/** What the scenario is measured for. */
export interface Figure {
  name: string
  spread: Spread
  unit?: 'MB'
  target?: Target
}

/** `least` or `most` says on which side of the bound the median should be. */
export interface Target {
  bound: 'least' | 'most'
  value: number
}

export const isMet = ({ spread, target }: Figure): boolean | undefined => {
  if (target === undefined) return undefined
  return target.bound === 'least' ? spread.median >= target.value : spread.median <= target.value
}

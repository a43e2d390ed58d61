import type { StartedEnvironment } from '../environment/start-environment.ts'
import type { System } from '../environment/systems.ts'
import type { Load } from '../load/load.ts'
import type { Spread } from '../report/statistics.ts'

export interface Scenario {
  name: string
  title: string
  measure(setting: Setting): Promise<Outcome>
}

export interface Setting {
  environment: StartedEnvironment
  load: Load
  rounds: number
  seconds: number
  present: ReadonlySet<System>
  progress(text: string): void
}

export interface Outcome {
  rates: readonly Rate[]
  figures: readonly Figure[]
}

export interface Rate {
  name: string
  perSecond: Spread
  latency: { p50: number; p99: number }
  /** The CPU time of the system's process per request, in milliseconds. Undefined if /proc does not exist. */
  cpuTime: number | undefined
}

export interface Figure {
  name: string
  spread: Spread
  unit?: 'MB' | 'kB'
  target?: { limit: 'min' | 'max'; value: number }
}

export const isMet = ({ spread, target }: Figure): boolean | undefined => {
  if (target === undefined) return undefined
  return target.limit === 'min' ? spread.median >= target.value : spread.median <= target.value
}

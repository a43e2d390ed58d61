import type { StartedEnvironment } from '../environment/start-environment.ts'
import { spreadOf } from '../report/statistics.ts'
import {
  assertSameResponses,
  checkResponses,
  measureRounds,
  type Run,
  type Runs,
  type Workload,
} from '../run/rounds.ts'
import type { Figure, Outcome, Rate, Scenario } from './scenario.ts'

export interface Comparison {
  name: string
  of: string
  with: string
  min?: number
}

export interface LoadScenario {
  name: string
  title: string
  connections: number
  workloads: readonly Workload[]
  comparisons: readonly Comparison[]
  /** Throws if the responses, keyed by workload name, are wrong. By default, all responses must be equal. */
  check?: (responses: ReadonlyMap<string, unknown>) => void
  before?: (environment: StartedEnvironment, workload: Workload) => Promise<void>
  after?: (environment: StartedEnvironment) => Promise<void>
}

export const loadScenario = (given: LoadScenario): Scenario => ({
  name: given.name,
  title: given.title,
  async measure({ environment, present, seconds, ...setting }) {
    const { workloads, comparisons, check } = present.has('before') ? compareWithBefore(given) : given
    const running = workloads.filter(({ system }) => present.has(system))
    const before = given.before && ((workload: Workload) => given.before!(environment, workload))
    try {
      await checkResponses(environment, running, check)
      const { connections } = given
      const options = { ...setting, environment, until: { seconds }, workloads: running, connections }
      return outcomeOf(await measureRounds({ ...options, ...(before && { before }) }), comparisons)
    } finally {
      await given.after?.(environment)
    }
  },
})

/** Minimum ratio of this checkout's throughput to the throughput of the system `before`. */
const MIN_RATIO_TO_BEFORE = 0.97

function compareWithBefore({ workloads }: LoadScenario): Pick<LoadScenario, 'workloads' | 'comparisons' | 'check'> {
  const pairs = workloads
    .filter(({ system }) => system === 'server')
    .map((now) => ({ now, before: { ...now, name: `${now.name}, before`, system: 'before' as const } }))
  return {
    workloads: pairs.flatMap(({ now, before }) => [now, before]),
    comparisons: pairs.map(({ now, before }) => ({
      name: `${now.name} against ${before.name}`,
      of: now.name,
      with: before.name,
      min: MIN_RATIO_TO_BEFORE,
    })),
    check(responses) {
      for (const { now, before } of pairs) {
        assertSameResponses(new Map([now, before].map(({ name }) => [name, responses.get(name)])))
      }
    },
  }
}

export function outcomeOf(runs: Runs, comparisons: readonly Comparison[]): Outcome {
  const rates = [...runs].map(([name, results]): Rate => {
    const perSecond = spreadOf(results.map((run) => run.succeeded / run.seconds))
    const latency = (part: 'p50' | 'p99') => spreadOf(results.map((run) => run.latency[part])).median
    return {
      name,
      perSecond,
      latency: { p50: latency('p50'), p99: latency('p99') },
      cpuTime: cpuTimePerRequest(results),
    }
  })
  const present = comparisons.filter((comparison) => runs.has(comparison.of) && runs.has(comparison.with))
  return { rates, figures: present.map((comparison) => ratio(runs, comparison)) }
}

function cpuTimePerRequest(results: readonly Run[]): number | undefined {
  const times = results.flatMap(({ cpuTime, succeeded }) => (cpuTime === undefined ? [] : [cpuTime / succeeded]))
  return times.length === 0 ? undefined : spreadOf(times).median
}

/** Compares only runs of the same round, because they ran under similar conditions. */
function ratio(runs: Runs, comparison: Comparison): Figure {
  const others = runs.get(comparison.with)!
  const ratios = runs.get(comparison.of)!.map((run, round) => {
    const other = others[round]!
    return run.succeeded / run.seconds / (other.succeeded / other.seconds)
  })
  return {
    name: comparison.name,
    spread: spreadOf(ratios),
    ...(comparison.min !== undefined && { target: { limit: 'min', value: comparison.min } }),
  }
}

import { assertSame, type Contender, checkAnswers, measureRounds, type Run, type Runs } from '../run/rounds.ts'
import type { Stage } from '../environment/start-environment.ts'
import { spreadOf } from '../report/statistics.ts'
import type { Figure, Outcome, Rate, Scenario } from './scenario.ts'

/** How many times as many requests a second one contender has to answer as another. */
export interface Comparison {
  name: string
  of: string
  with: string
  least?: number
}

export interface LoadScenario {
  name: string
  title: string
  connections: number
  contenders: readonly Contender[]
  comparisons: readonly Comparison[]
  /** Throws unless the answers of all contenders, by name, are right. By default all must be the same. */
  check?: (answers: ReadonlyMap<string, unknown>) => void
  before?: (stage: Stage, contender: Contender) => Promise<void>
  after?: (stage: Stage) => Promise<void>
}

/** A scenario whose figures are ratios of requests a second. */
export const loadScenario = (given: LoadScenario): Scenario => ({
  name: given.name,
  title: given.title,
  async measure({ stage, present, seconds, ...setting }) {
    const { contenders, comparisons, check } = present.has('before') ? besideBefore(given) : given
    const running = contenders.filter(({ contestant }) => present.has(contestant))
    const before = given.before && ((contender: Contender) => given.before!(stage, contender))
    try {
      await checkAnswers(stage, running, check)
      const { connections } = given
      const options = { ...setting, ground: stage, until: { seconds }, contenders: running, connections }
      return outcomeOf(await measureRounds({ ...options, ...(before && { before }) }), comparisons)
    } finally {
      await given.after?.(stage)
    }
  },
})

/** A row may fall by this much from one commit to the next. */
const LEAST_OF_BEFORE = 0.97

/** Each of this server's contenders beside the same one of the checkout before. */
function besideBefore({ contenders }: LoadScenario): Pick<LoadScenario, 'contenders' | 'comparisons' | 'check'> {
  const pairs = contenders
    .filter(({ contestant }) => contestant === 'server')
    .map((now) => ({ now, before: { ...now, name: `${now.name}, before`, contestant: 'before' as const } }))
  return {
    contenders: pairs.flatMap(({ now, before }) => [now, before]),
    comparisons: pairs.map(({ now, before }) => ({
      name: `${now.name} against ${before.name}`,
      of: now.name,
      with: before.name,
      least: LEAST_OF_BEFORE,
    })),
    check(answers) {
      for (const { now, before } of pairs) {
        assertSame(new Map([now, before].map(({ name }) => [name, answers.get(name)])))
      }
    },
  }
}

export function outcomeOf(runs: Runs, comparisons: readonly Comparison[]): Outcome {
  const rates = [...runs].map(([name, results]): Rate => {
    const perSecond = spreadOf(results.map((run) => run.answered / run.seconds))
    const latency = (part: 'p50' | 'p99') => spreadOf(results.map((run) => run.latency[part])).median
    return { name, perSecond, latency: { p50: latency('p50'), p99: latency('p99') }, processorTime: timeOfOne(results) }
  })
  const present = comparisons.filter((comparison) => runs.has(comparison.of) && runs.has(comparison.with))
  return { rates, figures: present.map((comparison) => ratio(runs, comparison)) }
}

function timeOfOne(results: readonly Run[]): number | undefined {
  const times = results.flatMap(({ processorTime, answered }) =>
    processorTime === undefined ? [] : [processorTime / answered],
  )
  return times.length === 0 ? undefined : spreadOf(times).median
}

/** Of the two runs of each round, which saw the same machine. */
function ratio(runs: Runs, comparison: Comparison): Figure {
  const others = runs.get(comparison.with)!
  const ratios = runs.get(comparison.of)!.map((run, round) => {
    const other = others[round]!
    return run.answered / run.seconds / (other.answered / other.seconds)
  })
  return {
    name: comparison.name,
    spread: spreadOf(ratios),
    ...(comparison.least !== undefined && { target: { bound: 'least', value: comparison.least } }),
  }
}

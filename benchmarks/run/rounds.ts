import { type Contestant, isServer } from '../environment/systems.ts'
import { firstDifference } from './first-difference.ts'
import type { Fleet } from '../environment/fleet.ts'
import { ask, type Ground } from '../environment/environment.ts'
import type { Load, LoadJob, LoadResult } from '../load/load.ts'
import { type Operation, toRequest } from './operation.ts'

/** One that runs in a scenario: a contestant and what it is asked there. */
export interface Contender {
  /** As it stands in the report. */
  name: string
  contestant: Contestant
  /** What one connection sends in turn. `run` counts all runs, so that each can write values of its own. */
  operations(fleet: Fleet, place: { connection: number; run: number }): readonly Operation[]
  /** What is compared of the answer to the first operation. */
  // biome-ignore lint/suspicious/noExplicitAny: each contestant answers in its own shape
  read(answer: any): unknown
  /** Told before a run; what it returns is told what came of the run, and throws when that is wrong. */
  watch?: (ground: Ground) => Promise<(result: LoadResult) => Promise<void>>
}

export interface Run extends LoadResult {
  /** Milliseconds that the contender's own process took; undefined where the system does not tell. */
  processorTime: number | undefined
}

/** The rounds of each contender, by name. */
export type Runs = ReadonlyMap<string, readonly Run[]>

/** The server must answer what the others do: nobody wins by leaving something out. */
export async function checkAnswers(
  ground: Ground,
  contenders: readonly Contender[],
  check: (answers: ReadonlyMap<string, unknown>) => void = assertSame,
): Promise<void> {
  const answers = new Map<string, unknown>()
  for (const { name, contestant, operations, read } of contenders) {
    const [operation] = operations(ground.fleet, { connection: 0, run: 0 })
    answers.set(name, read(await ask(ground, contestant, operation!)))
  }
  check(answers)
}

export function assertSame(answers: ReadonlyMap<string, unknown>): void {
  const [[first, expected] = [], ...others] = answers
  for (const [name, answer] of others) {
    const difference = firstDifference(answer, expected)
    if (difference !== undefined) throw new Error(`${name} does not answer what ${first} answers: ${difference}`)
  }
}

export interface RoundsOptions {
  ground: Ground
  load: Load
  rounds: number
  /** How long each run lasts. */
  until: LoadJob['until']
  contenders: readonly Contender[]
  connections: number
  before?: (contender: Contender) => Promise<void>
  /** Says what is under way. */
  progress(text: string): void
}

/**
 * Each contender in turn, round after round, so that what the machine does meanwhile meets all of them. A round before the first
 * does not count: code gets compiled in it, connections made and pages of the database read.
 */
export async function measureRounds(options: RoundsOptions): Promise<Runs> {
  const { contenders, rounds, progress } = options
  const runs = new Map<string, Run[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const contender of contenders) {
      progress(`${contender.name}, ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`)
      const result = await runOnce(options, contender)
      if (round > 0) runs.get(contender.name)!.push(result)
    }
  }
  return runs
}

let run = 0

async function runOnce(options: RoundsOptions, contender: Contender): Promise<Run> {
  const { ground, load, connections, until } = options
  await options.before?.(contender)
  const { url, processorTime } = await ground.program(contender.contestant)
  const accessKey = isServer(contender.contestant) ? ground.accessKey : undefined
  run++
  const requests = Array.from({ length: connections }, (_, connection) =>
    contender.operations(ground.fleet, { connection, run }).map((operation) => toRequest(url, operation, accessKey)),
  )
  const verify = await contender.watch?.(ground)
  const before = await processorTime()
  const result = await load.run({ url, connections, requests, until })
  const after = await processorTime()
  if (result.failed > 0) throw new Error(`${contender.name}: ${result.failed} of its requests failed`)
  if (result.answered === 0) throw new Error(`${contender.name} answered nothing in a round: it needs more --seconds`)
  await verify?.(result)
  return { ...result, processorTime: before === undefined || after === undefined ? undefined : after - before }
}

import type { Fleet } from '../environment/fleet.ts'
import { type Environment, runOperation } from '../environment/run-operation.ts'
import { isMuster, type System } from '../environment/systems.ts'
import type { Load, LoadJob, LoadResult } from '../load/load.ts'
import { firstDifference } from './first-difference.ts'
import { type Operation, toRequest } from './operation.ts'

export interface Workload {
  name: string
  system: System
  /** `run` is a different number in each run, so that each run can write different values. */
  operations(fleet: Fleet, place: { connection: number; run: number }): readonly Operation[]
  /** Returns the part of the first operation's response that must be the same on all systems. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape of responses depends on the system
  read(response: any): unknown
  /** Called before each run. The returned function is called after the run, and throws if the outcome is wrong. */
  startCheck?: (environment: Environment) => Promise<(result: LoadResult) => Promise<void>>
}

export interface Run extends LoadResult {
  /** CPU time of the process under test, in milliseconds. Undefined on computers without /proc. */
  cpuTime: number | undefined
}

export type Runs = ReadonlyMap<string, readonly Run[]>

/** Checks that all systems return the same data, because a system that omits data would look faster. */
export async function checkResponses(
  environment: Environment,
  workloads: readonly Workload[],
  check: (responses: ReadonlyMap<string, unknown>) => void = assertSameResponses,
): Promise<void> {
  const responses = new Map<string, unknown>()
  for (const { name, system, operations, read } of workloads) {
    const [operation] = operations(environment.fleet, { connection: 0, run: 0 })
    responses.set(name, read(await runOperation(environment, system, operation!)))
  }
  check(responses)
}

export function assertSameResponses(responses: ReadonlyMap<string, unknown>): void {
  const [[first, expected] = [], ...others] = responses
  for (const [name, response] of others) {
    const difference = firstDifference(response, expected)
    if (difference !== undefined)
      throw new Error(`The response of ${name} differs from that of ${first}: ${difference}`)
  }
}

export interface RoundsOptions {
  environment: Environment
  load: Load
  rounds: number
  until: LoadJob['until']
  workloads: readonly Workload[]
  connections: number
  before?: (workload: Workload) => Promise<void>
  progress(text: string): void
}

/**
 * Runs the workloads in turn in each round, so that other activity on the machine affects all workloads. Every second
 * round reverses the order, because a workload can slow down the next one, for example while PostgreSQL cleans up dead
 * rows.
 */
export async function measureRounds(options: RoundsOptions): Promise<Runs> {
  const { workloads, rounds, progress } = options
  const runs = new Map<string, Run[]>(workloads.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const workload of round % 2 === 0 ? workloads.toReversed() : workloads) {
      progress(`${workload.name}, ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`)
      const result = await runOnce(options, workload)
      if (round > 0) runs.get(workload.name)!.push(result)
    }
  }
  return runs
}

let run = 0

async function runOnce(options: RoundsOptions, workload: Workload): Promise<Run> {
  const { environment, load, connections, until } = options
  await options.before?.(workload)
  const { url, cpuTime } = await environment.processOf(workload.system)
  const accessKey = isMuster(workload.system) ? environment.accessKey : undefined
  run++
  const requests = Array.from({ length: connections }, (_, connection) =>
    workload
      .operations(environment.fleet, { connection, run })
      .map((operation) => toRequest(url, operation, accessKey)),
  )
  const finishCheck = await workload.startCheck?.(environment)
  const before = await cpuTime()
  const result = await load.run({ url, connections, requests, until })
  const after = await cpuTime()
  if (result.failed > 0) throw new Error(`${workload.name}: the number of failed requests is ${result.failed}, not 0.`)
  if (result.succeeded === 0) throw new Error(`${workload.name}: no response arrived in a round. Increase --seconds.`)
  await finishCheck?.(result)
  return { ...result, cpuTime: before === undefined || after === undefined ? undefined : after - before }
}

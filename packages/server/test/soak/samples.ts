import type { Environment } from './environment.ts'
import type { LoadCounts } from './load.ts'

export interface Measured extends LoadCounts {
  samples: Sample[]
  memory: MemorySample[]
}

/** The memory use of the server just after a garbage collection. */
export interface MemorySample {
  at: number
  /** The memory that JavaScript objects, buffers, and native code use. */
  liveMiB: number
  /** Resident memory, excluding pages that are backed by files. */
  residentMiB: number
}

export interface Sample {
  at: number
  rssMiB: number
  descriptors: number
  databaseConnections: number
  /** The CPU time that the server has used since it started, in seconds. */
  cpuSeconds: number
  eventLagSeconds: number
  deliveriesPending: number
  deliveriesDueSeconds: number
  devicesConnected: number
}

const MIB = 1_048_576

export async function takeSample(environment: Environment, at: number): Promise<Sample> {
  const [values, databaseConnections] = await Promise.all([
    readMetrics(environment.url),
    environment.countConnections(),
  ])
  const of = (name: string): number => values.get(name) ?? Number.NaN
  return {
    at,
    rssMiB: of('process_resident_memory_bytes') / MIB,
    descriptors: of('process_open_fds'),
    databaseConnections,
    cpuSeconds: of('process_cpu_seconds_total'),
    eventLagSeconds: of('muster_event_feed_lag_seconds'),
    deliveriesPending: of('muster_webhook_deliveries{status="pending"}'),
    deliveriesDueSeconds: values.get('muster_webhook_due_seconds') ?? 0,
    devicesConnected: of('muster_devices_connected'),
  }
}

export async function sampleMemory(environment: Environment, at: number): Promise<MemorySample> {
  const { live, resident } = await environment.collectMemory()
  return { at, liveMiB: live / MIB, residentMiB: resident / MIB }
}

async function readMetrics(url: string): Promise<Map<string, number>> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n')
  const values = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(values.map((line) => [line.replace(/ [^ ]+$/, ''), Number(line.replace(/^.* /, ''))]))
}

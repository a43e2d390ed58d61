import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Credentials } from '../../packages/cli/src/simulate/device.ts'
import { hashDeviceSecret, newDeviceSecret } from '../../packages/server/src/features/devices/changes/device-secret.ts'
import type { StartedEnvironment } from '../environment/start-environment.ts'
import type { LoadResult } from '../load/load.ts'
import { connectDevice, type MqttDevice } from '../load/mqtt-device.ts'
import { freePort } from '../mqtt/fleet-server.ts'
import { percentile, spreadOf } from '../report/statistics.ts'
import type { Run } from '../run/rounds.ts'
import { startWriteCheck } from './check-writes.ts'
import { idleBytes, memoryFigure } from './memory.ts'
import type { Scenario, Setting } from './scenario.ts'
import { outcomeOf } from './throughput-scenario.ts'

const muster = 'Muster'
const byHand = 'aedes with the same SQL in handwritten code'

interface Broker {
  name: string
  devices: readonly MqttDevice[]
  cpuTime(): Promise<number | undefined>
}

export const publications: Scenario = {
  name: 'mqtt',
  title: 'MQTT publications of an attribute by 64 devices, committed before the acknowledgment',
  async measure(setting) {
    const { environment, present, rounds, progress } = setting
    if (!present.has('aedes')) return { rates: [], figures: [] }
    const { fleet } = environment
    const port = await freePort()
    const server = await environment.startServer(serverSettings(port))
    const brokers: Broker[] = []
    try {
      const aedes = await environment.processOf('aedes')
      const credentials = await createSecrets(environment, fleet.deviceIds)
      const connect = (brokerPort: number) => connectDevices(credentials, brokerPort)
      brokers.push({ name: muster, devices: await connect(port), cpuTime: server.cpuTime })
      brokers.push({ name: byHand, devices: await connect(Number(new URL(aedes.url).port)), cpuTime: aedes.cpuTime })
      const runs = new Map(brokers.map(({ name }) => [name, [] as Run[]]))
      for (let round = 0; round <= rounds; round++) {
        for (const broker of round % 2 === 0 ? brokers.toReversed() : brokers) {
          progress(`${broker.name}, ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`)
          const run = await runOnce(setting, broker)
          if (round > 0) runs.get(broker.name)!.push(run)
        }
      }
      return outcomeOf(runs, [{ name: 'against aedes with the same SQL', of: muster, with: byHand, min: 0.8 }])
    } finally {
      for (const device of brokers.flatMap(({ devices }) => devices)) device.close()
      await server.stop()
    }
  },
}

let run = 0

async function runOnce({ environment, seconds }: Setting, { devices, cpuTime }: Broker): Promise<Run> {
  run++
  const finishCheck = await startWriteCheck(environment)
  const before = await cpuTime()
  const result = await publishFor(devices, seconds)
  const after = await cpuTime()
  await finishCheck(result)
  return { ...result, cpuTime: before === undefined || after === undefined ? undefined : after - before }
}

/** Each device waits for an acknowledgment before it publishes another value. Each publication changes the value. */
async function publishFor(devices: readonly MqttDevice[], seconds: number): Promise<LoadResult> {
  const latencies: number[] = []
  const began = performance.now()
  await Promise.all(
    devices.map(async (device) => {
      for (let count = 0; performance.now() - began < seconds * 1_000; count++) {
        const sent = performance.now()
        await device.publish({ load: `${run} ${count % 2}` })
        latencies.push(performance.now() - sent)
      }
    }),
  )
  return {
    succeeded: latencies.length,
    failed: 0,
    seconds: (performance.now() - began) / 1_000,
    latency: { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
    bytes: 0,
  }
}

const CONNECTIONS = 20_000
/** The number of files that a process opens besides connections, rounded up. */
const OTHER_FILES = 200
/** The wait until the server has recorded all devices as active and is idle again. */
const SETTLE_MS = 15_000

export const connections: Scenario = {
  name: 'connections',
  title: 'Server memory for MQTT connections',
  async measure(setting) {
    const { environment, progress } = setting
    // The target applies only to fleets of at least `CONNECTIONS` devices.
    if (environment.fleet.devices < CONNECTIONS) return { rates: [], figures: [] }
    const processes = Math.max(1, Math.ceil(CONNECTIONS / ((await openFilesLimit()) - OTHER_FILES)))
    const port = await freePort()
    const server = await environment.startServer({ ...serverSettings(port), MUSTER_WORKERS: String(processes) })
    const holders: Holder[] = []
    try {
      const idle = await idleBytes(server, setting)
      if (idle === undefined) return { rates: [], figures: [] }
      const credentials = await createSecrets(environment, await firstIds(environment, CONNECTIONS))
      for (let index = 0; index < processes; index++) holders.push(startHolder(port))
      for (let from = 0; from < CONNECTIONS; from += BATCH) {
        progress(`${from} connections`)
        await holders[(from / BATCH) % processes]!.connect(credentials.slice(from, from + BATCH))
      }
      await sleep(SETTLE_MS)
      let open = 0
      for (const holder of holders) open += await holder.connect([])
      if (open < CONNECTIONS) throw new Error(`Only ${open} of ${CONNECTIONS} connections are still open.`)
      const used = (await server.memory())!
      const name = `with ${CONNECTIONS} connections${processes === 1 ? '' : ` to ${processes} processes`}`
      return {
        rates: [],
        figures: [
          memoryFigure(name, [used], 600),
          { name: 'per connection', spread: spreadOf([(used - idle) / CONNECTIONS / 1_000]), unit: 'kB' },
        ],
      }
    } finally {
      for (const holder of holders) holder.close()
      await server.stop()
    }
  },
}

/** A process that keeps device connections open. */
interface Holder {
  /** Opens a connection for each device. Resolves to the total number of connections that the process keeps open. */
  connect(credentials: readonly Credentials[]): Promise<number>
  close(): void
}

function startHolder(port: number): Holder {
  const child = fork(new URL('../load/hold-connections.ts', import.meta.url), [String(port)])
  const exited = once(child, 'exit').then(() => [null])
  return {
    async connect(credentials) {
      child.send(credentials)
      const [answer] = (await Promise.race([once(child, 'message'), exited])) as [{ open: number } | null]
      if (answer === null) throw new Error('The process that holds connections exited.')
      return answer.open
    },
    close: () => void child.kill(),
  }
}

const BATCH = 250

const connectDevices = (credentials: readonly Credentials[], port: number): Promise<MqttDevice[]> =>
  Promise.all(credentials.map((each) => connectDevice(each, port)))

/** Returns this process's limit on open files. Returns Infinity if there is no limit or the system has no /proc. */
async function openFilesLimit(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
}

/** Sets the MQTT port, and raises the limits on messages and bytes, so that they do not limit the load. */
const serverSettings = (port: number): Record<string, string> => ({
  MUSTER_MQTT_PORT: String(port),
  MUSTER_DEVICE_MESSAGES: '1000000000',
  MUSTER_DEVICE_MESSAGES_PER_SECOND: '1000000000',
  MUSTER_DEVICE_BYTES_PER_DAY: '1000000000',
  MUSTER_ACCOUNT_BYTES_PER_DAY: '1000000000000',
})

async function firstIds({ pool, fleet }: StartedEnvironment, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from device where account_id = $1 order by id limit $2',
    [fleet.accountId, count],
  )
  return rows.map(({ id }) => id)
}

async function createSecrets({ pool, fleet }: StartedEnvironment, ids: readonly string[]): Promise<Credentials[]> {
  const credentials = ids.map((id) => ({ id, secret: newDeviceSecret() }))
  await pool.query(
    `update device set secret_hash = new.hash from unnest($2::text[], $3::bytea[]) as new (id, hash)
     where account_id = $1 and device.id = new.id`,
    [fleet.accountId, ids, credentials.map(({ secret }) => hashDeviceSecret(secret))],
  )
  return credentials
}

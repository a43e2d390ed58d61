import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import mqtt from 'mqtt'
import type { FleetServer } from '../../../../benchmarks/mqtt/fleet-server.ts'
import { startAttacker } from './attacker-process.ts'
import { createUser } from './other-user.ts'
import type { AccessKey, Population } from './population.ts'
import { signedAttack } from './rows.ts'

/** A row that checks a limit on a single caller, such as a quota. */
export interface QuotaRow {
  name: string
  attack: string
  env: Record<string, string>
  run(setup: { server: FleetServer; population: Population }): Promise<QuotaResult>
}

export interface QuotaResult {
  summary: string
  failures: string[]
}

const POINTS = 2_000
const POINTS_PER_SECOND = 50
const MINUTE_S = 60
/** The tolerance, as a factor, for clock differences and for requests in flight at the end. */
const TOLERANCE = 1.02

const DEVICE_BYTES = 10 * 1024 * 1024
const VALUES = 4
const VALUE_BYTES = 15_000
const MESSAGES_PER_SECOND = 50
const SENDING_S = 20

const attackerAddress = '127.0.0.3'

export const quotaRows: readonly QuotaRow[] = [
  {
    name: '8',
    attack: 'ten keys of one user for a minute',
    env: { MUSTER_KEY_POINTS: String(POINTS), MUSTER_KEY_POINTS_PER_SECOND: String(POINTS_PER_SECOND) },
    async run({ server, population }) {
      const attacker = await startAttacker()
      const keys = population.attackers[0]!.keys
      const target = { url: server.url, population, from: attackerAddress }
      const started = performance.now()
      attacker.start([signedAttack(target, keys.length, keys, [{ query: '{ login { email } }' }])])
      await sleep(MINUTE_S * 1_000)
      const { outcomes } = await attacker.stop()
      const quota = POINTS + (POINTS_PER_SECOND * (performance.now() - started)) / 1_000
      const spent = outcomes['200'] ?? 0
      const failures: string[] = []
      if (spent > quota * TOLERANCE)
        failures.push(`ten keys used ${spent} points, more than the quota of ${quota.toFixed(0)}`)
      if (spent < quota / TOLERANCE)
        failures.push(`ten keys used ${spent} points, less than the quota of ${quota.toFixed(0)}`)
      return { summary: `${spent} points of a quota of ${quota.toFixed(0)}`, failures }
    },
  },
  {
    name: '9',
    attack: 'a key that expires and requires digests creates a key that does neither',
    env: {},
    async run({ server, population }) {
      const create = (key: AccessKey, options: string) => {
        const user = createUser(server.url, key, attackerAddress)
        const query = `mutation { createAccessKey${options} { key secret accessKey { expires requireDigest } } }`
        return user.send({ query }).finally(user.close)
      }
      const expires = new Date(Date.now() + MINUTE_S * 1_000)
      const options = `(expires: "${expires.toISOString()}", requireDigest: true)`
      const weak = (await create(population.attackers.at(-1)!.keys[0]!, options)).body.data.createAccessKey
      const { body } = await create({ keyId: weak.key, secret: weak.secret }, '')
      const code = body.errors?.[0]?.extensions?.code
      const created = body.data?.createAccessKey?.accessKey
      const isStronger = created != null && (created.expires === null || !created.requireDigest)
      return {
        summary: code ?? JSON.stringify(created),
        failures: isStronger ? ['a key that expires and requires digests created a key that does not do both'] : [],
      }
    },
  },
  {
    name: '10',
    attack: 'one device sends incompressible values, 50 messages per second',
    env: { MUSTER_DEVICE_BYTES_PER_DAY: String(DEVICE_BYTES) },
    async run({ server, population }) {
      const [sender, neighbor] = population.connected.devices
      const values = (): string =>
        JSON.stringify(
          Object.fromEntries(
            Array.from({ length: VALUES }, (_, index) => [
              `v${index}`,
              randomBytes(VALUE_BYTES).toString('base64').slice(0, VALUE_BYTES),
            ]),
          ),
        )
      const options = { protocolVersion: 4 as const, reconnectPeriod: 1_000 }
      const connect = (device: { id: string; secret: string }) =>
        mqtt.connectAsync(server.broker, {
          ...options,
          clientId: device.id,
          username: device.id,
          password: device.secret,
        })
      const clients = await Promise.all([connect(sender!), connect(neighbor!)])
      const accepted = [0, 0]
      const publish = (index: 0 | 1, id: string, payload: string): void => {
        clients[index].publish(`devices/${id}/attributes`, payload, { qos: 1 }, (error) => {
          if (!error) accepted[index]!++
        })
      }
      let neighborSent = 0
      for (let message = 0; message < SENDING_S * MESSAGES_PER_SECOND; message++) {
        publish(0, sender!.id, values())
        if (message % MESSAGES_PER_SECOND === 0) {
          publish(1, neighbor!.id, JSON.stringify({ load: String(message) }))
          neighborSent++
        }
        await sleep(1_000 / MESSAGES_PER_SECOND)
      }
      await sleep(2_000)
      const bytes = accepted[0]! * VALUES * VALUE_BYTES
      for (const client of clients) client.end(true)
      const failures: string[] = []
      if (bytes > DEVICE_BYTES * TOLERANCE)
        failures.push(`the device stored ${toMiB(bytes)}, above its quota of ${toMiB(DEVICE_BYTES)}`)
      if (accepted[1]! < neighborSent)
        failures.push(`${accepted[1]} of ${neighborSent} reports of another device were accepted`)
      return {
        summary: `${toMiB(bytes)} accepted, the quota is ${toMiB(DEVICE_BYTES)}; another device: ${accepted[1]} of ${neighborSent} reports`,
        failures,
      }
    },
  },
]

const toMiB = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { readCredentials, sendAs } from '../../packages/server/test/harness/server-process.ts'
import { unlimited } from '../../packages/server/test/harness/unlimited.ts'
import { isGenuine, type Received, startReceiver } from '../../packages/server/test/harness/webhook-receiver.ts'
import { startDatabase } from '../environment/database.ts'

const main = new URL('../../packages/server/src/main.ts', import.meta.url).pathname

interface KillRun {
  databaseUrl: string
  /** Data folder that all servers share. */
  folder: string
  masterKey: string
  events: number
  kills: number
  servers: number
}

interface KillReport {
  /** Number of attribute changes in the event log. The webhook subscribes to all of them. */
  logged: number
  delivered: number
  /** IDs of the events that the receiver never accepted. */
  missing: string[]
  requests: number
  /** Number of requests that the receiver rejected or did not respond to. */
  rejected: number
  duplicates: number
  /** Number of events with more than one message ID. */
  severalIds: number
  /** Number of messages whose bytes differed between attempts. */
  changed: number
  /** Number of requests without a valid signature. */
  forged: number
  kills: number
  seconds: number
}

const DEVICES = 20
const WRITERS = 8

/**
 * Changes attributes on servers that are killed repeatedly, and reports how a webhook delivered the events. The
 * receiver rejects or drops a third of the requests.
 */
async function runKills(options: KillRun): Promise<KillReport> {
  const began = Date.now()
  const receiver = await startReceiver()
  const accepted: Received[] = []
  const forged: Received[] = []
  let secret: string | undefined
  let requestCount = 0
  receiver.respondWith((message, response) => {
    if (secret === undefined || !isGenuine(secret, message)) forged.push(message)
    // Never fail two requests in a row, because after 10 consecutive failures, the server would make only one attempt
    // per minute.
    const position = ++requestCount % 6
    if (position === 2) return response.writeHead(500).end()
    if (position === 5) return response.destroy()
    accepted.push(message)
    response.end()
  })

  const fleet = createFleet(options)
  await fleet.ready()
  const credentials = await readCredentials(options.folder)
  const send = async (document: string) => {
    for (;;) {
      try {
        const { body } = await sendAs(credentials, fleet.url(), document)
        if (body.errors === undefined) return body.data
      } catch {
        // Repeating the write is safe, because a write of the same value creates no second event.
      }
      await sleep(50)
    }
  }
  const webhook = (
    await send(`mutation { createWebhook(url: "${receiver.url}", events: [ATTRIBUTE_CHANGE]) { id secret } }`)
  ).createWebhook
  secret = webhook.secret
  const devices: string[] = []
  for (let index = 0; index < DEVICES; index++)
    devices.push((await send('mutation { registerDevice(name: "device") { device { id } } }')).registerDevice.device.id)

  let next = 0
  const write = async (): Promise<void> => {
    while (next < options.events) {
      const value = next++
      // Consecutive writes change different devices and attributes, so that a repeated write does not overwrite the
      // change of another writer.
      const device = devices[value % DEVICES]
      await send(`mutation { setAttribute(serviceId: "${device}", name: "n${value % 97}", value: "${value}") }`)
    }
  }
  const killing = fleet.kill(options.kills)
  await Promise.all([...Array.from({ length: WRITERS }, write), killing])

  const logged = await readEventIds(options.databaseUrl)
  const delivered = new Set<string>()
  for (let seen = 0; delivered.size < logged.length; await sleep(100)) {
    for (; seen < accepted.length; seen++) delivered.add(accepted[seen]!.body.data.id)
    if (!(await hasPending(options.databaseUrl))) break
  }
  for (const message of accepted) delivered.add(message.body.data.id)
  await fleet.stop()
  await receiver.close()
  return {
    ...countProblems(receiver.received, accepted),
    forged: forged.length,
    logged: logged.length,
    delivered: logged.filter((id) => delivered.has(id)).length,
    missing: logged.filter((id) => !delivered.has(id)),
    kills: options.kills,
    seconds: (Date.now() - began) / 1_000,
  }
}

function countProblems(received: readonly Received[], accepted: readonly Received[]) {
  const byEvent = Map.groupBy(received, ({ body }) => body.data.id)
  const byId = Map.groupBy(received, ({ id }) => id)
  const countDiffering = (groups: Map<string, Received[]>, select: (message: Received) => string): number =>
    [...groups.values()].filter((messages) => new Set(messages.map(select)).size > 1).length
  return {
    requests: received.length,
    rejected: received.length - accepted.length,
    duplicates: accepted.length - new Set(accepted.map(({ id }) => id)).size,
    severalIds: countDiffering(byEvent, ({ id }) => id),
    changed: countDiffering(byId, ({ text }) => text),
  }
}

/** Runs servers on one database. `kill` kills random servers and starts replacements. */
function createFleet({ databaseUrl, folder, masterKey, servers }: KillRun) {
  const running = new Map<ChildProcess, string | undefined>()
  const start = (): void => {
    const env = {
      ...unlimited,
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: '0',
      DATABASE_URL: databaseUrl,
      MUSTER_DATA: folder,
      MUSTER_MASTER_KEY: masterKey,
      MUSTER_MQTT_PORT: '0',
      MUSTER_LOG_LEVEL: 'error',
      MUSTER_WEBHOOK_ALLOW: '127.0.0.1',
      MUSTER_WEBHOOK_RETRIES: Array(30).fill('1').join(','),
    }
    const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    running.set(child, undefined)
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      const url = /ready at (http:\S+)/.exec(output)?.[1]
      if (url !== undefined && running.has(child)) running.set(child, url)
    })
  }
  const ready = async (): Promise<void> => {
    while (![...running.values()].some(Boolean)) await sleep(50)
  }
  for (let index = 0; index < servers; index++) start()
  return {
    ready,
    url(): string {
      const urls = [...running.values()].filter((url) => url !== undefined)
      return urls[Math.floor(Math.random() * urls.length)] ?? 'http://127.0.0.1:9'
    },
    async kill(times: number): Promise<void> {
      for (let index = 0; index < times; index++) {
        await sleep(500 + Math.random() * 2_000)
        await ready()
        const children = [...running.keys()]
        const victim = children[Math.floor(Math.random() * children.length)]!
        running.delete(victim)
        victim.kill('SIGKILL')
        await once(victim, 'exit')
        start()
      }
      await ready()
    },
    async stop(): Promise<void> {
      for (const child of running.keys()) {
        child.kill('SIGTERM')
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      }
    },
  }
}

const readEventIds = (databaseUrl: string): Promise<string[]> =>
  selectValues(databaseUrl, `select id::text as value from event where type = 'ATTRIBUTE_CHANGE'`)

/** Returns whether events are waiting for fan-out or for delivery. */
const hasPending = async (databaseUrl: string): Promise<boolean> =>
  (
    await selectValues(
      databaseUrl,
      `select 'pending' as value where exists (select from webhook_delivery where status = 'pending')
         or exists (select from event, webhook_cursor where id > event_id and type = 'ATTRIBUTE_CHANGE')`,
    )
  ).length > 0

async function selectValues(databaseUrl: string, query: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query<{ value: string }>(query)).rows.map(({ value }) => value)
  } finally {
    await client.end()
  }
}

const [events = 10_000, kills = 20, servers = 2] = process.argv.slice(2).map(Number)
const database = await startDatabase()
const folder = join(database.folder, 'servers')
await mkdir(folder)
const masterKey = randomBytes(32).toString('base64')
try {
  const { missing, ...report } = await runKills({
    databaseUrl: database.url,
    folder,
    masterKey,
    events,
    kills,
    servers,
  })
  console.table(report)
  if (missing.length > 0 || report.severalIds + report.changed + report.forged > 0) {
    console.error(
      `Events that were not delivered: ${missing.length}. For wrong deliveries, see severalIds, changed, and forged in the table above.`,
    )
    process.exitCode = 1
  }
} finally {
  await database.stop()
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { readCredentials, sendAs } from '../../packages/server/test/harness/server-process.ts'
import { unlimited } from '../../packages/server/test/harness/unlimited.ts'
import { isGenuine, type Received, startReceiver } from '../../packages/server/test/harness/webhook-receiver.ts'

const main = new URL('../../packages/server/src/main.ts', import.meta.url).pathname

export interface KillRun {
  databaseUrl: string
  /** Of the servers' data; they share it. */
  folder: string
  masterKey: string
  /** Changes to be made while servers are killed. */
  events: number
  kills: number
  /** Servers at a time. */
  servers: number
}

export interface KillReport {
  /** Events in the log, all of which the webhook asked for. */
  logged: number
  /** Those that the receiver took, by an answer of 200. */
  delivered: number
  /** Ids of events of which it took none. */
  missing: string[]
  requests: number
  /** Requests that it answered badly or not at all. */
  refused: number
  /** Messages taken more than once. */
  repeated: number
  /** Events that came under more than one id. */
  severalIds: number
  /** Messages whose bytes differed between attempts. */
  changed: number
  forged: number
  kills: number
  seconds: number
}

const DEVICES = 20
const WRITERS = 8

/** Writes events through servers that are killed again and again, to a receiver that fails a third of the time. */
export async function runKills(options: KillRun): Promise<KillReport> {
  const began = Date.now()
  const receiver = await startReceiver()
  const taken: Received[] = []
  const forged: Received[] = []
  let secret: string | undefined
  let turns = 0
  receiver.respondWith((message, response) => {
    if (secret === undefined || !isGenuine(secret, message)) forged.push(message)
    // Never often in a row, or it would be left alone for a minute.
    const turn = ++turns % 6
    if (turn === 2) return response.writeHead(500).end()
    if (turn === 5) return response.destroy()
    taken.push(message)
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
        // Whether it was done nobody knows; writing the same value again makes no second event.
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
      // One writer a device at a time, or a change could be written over before it was told.
      const device = devices[value % DEVICES]
      await send(`mutation { setAttribute(serviceId: "${device}", name: "n${value % 97}", value: "${value}") }`)
    }
  }
  const killing = fleet.kill(options.kills)
  await Promise.all([...Array.from({ length: WRITERS }, write), killing])

  const logged = await eventsOf(options.databaseUrl)
  const told = new Set<string>()
  for (let seen = 0; told.size < logged.length; await sleep(100)) {
    for (; seen < taken.length; seen++) told.add(taken[seen]!.body.data.id)
    if (!(await isOwed(options.databaseUrl))) break
  }
  for (const message of taken) told.add(message.body.data.id)
  await fleet.stop()
  await receiver.close()
  return {
    ...judge(receiver.received, taken),
    forged: forged.length,
    logged: logged.length,
    delivered: logged.filter((id) => told.has(id)).length,
    missing: logged.filter((id) => !told.has(id)),
    kills: options.kills,
    seconds: (Date.now() - began) / 1_000,
  }
}

function judge(received: readonly Received[], taken: readonly Received[]) {
  const byEvent = Map.groupBy(received, ({ body }) => body.data.id)
  const byId = Map.groupBy(received, ({ id }) => id)
  const differing = (groups: Map<string, Received[]>, of: (message: Received) => string): number =>
    [...groups.values()].filter((messages) => new Set(messages.map(of)).size > 1).length
  return {
    requests: received.length,
    refused: received.length - taken.length,
    repeated: taken.length - new Set(taken.map(({ id }) => id)).size,
    severalIds: differing(byEvent, ({ id }) => id),
    changed: differing(byId, ({ text }) => text),
  }
}

/** Servers on one database, of which one or another is killed now and then and started anew. */
function createFleet({ databaseUrl, folder, masterKey, servers }: KillRun) {
  const running = new Map<ChildProcess, string | undefined>()
  const start = async (): Promise<void> => {
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
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
      const url = /ready at (http:\S+)/.exec(said)?.[1]
      if (url !== undefined && running.has(child)) running.set(child, url)
    })
  }
  const ready = async (): Promise<void> => {
    while (![...running.values()].some(Boolean)) await sleep(50)
  }
  for (let index = 0; index < servers; index++) void start()
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
        void start()
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

const eventsOf = (databaseUrl: string): Promise<string[]> =>
  ask(databaseUrl, `select id::text as value from event where type = 'ATTRIBUTE_CHANGE'`)

/** Whether anything is still to be made or sent. */
const isOwed = async (databaseUrl: string): Promise<boolean> =>
  (
    await ask(
      databaseUrl,
      `select 'owed' as value where exists (select from webhook_delivery where status = 'pending')
         or exists (select from event, webhook_cursor where id > event_id and type = 'ATTRIBUTE_CHANGE')`,
    )
  ).length > 0

async function ask(databaseUrl: string, text: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query<{ value: string }>(text)).rows.map(({ value }) => value)
  } finally {
    await client.end()
  }
}

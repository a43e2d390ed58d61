import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startDatabase } from '../environment/database.ts'
import { percentile } from '../report/statistics.ts'
import { registerDevices, startServer } from './server.ts'

const [seconds = 3, rounds = 8] = process.argv.slice(2).map(Number)
const CLIENTS = 64

const receiver = spawn(process.execPath, [new URL('receiver-process.ts', import.meta.url).pathname])
const [port] = await once(receiver.stdout, 'data')
const database = await startDatabase()
const server = await startServer(database)
const client = new pg.Client(database.connection)
await client.connect()

let value = 0
const measure = async (devices: readonly string[]): Promise<number> => {
  let done = 0
  const until = performance.now() + seconds * 1_000
  const write = async (index: number): Promise<void> => {
    while (performance.now() < until) {
      const device = devices[index % devices.length]
      await server.send(`mutation { setAttribute(serviceId: "${device}", name: "n", value: "${++value}") }`)
      done++
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => write(index)))
  return done / seconds
}

const createWebhook = async (events: string): Promise<string> => {
  const url = `http://127.0.0.1:${String(port).trim()}/`
  return (await server.send(`mutation { createWebhook(url: "${url}"${events}) { id } }`)).createWebhook.id
}

const countDelivered = async (): Promise<number> => {
  const query = `select count(*)::int as count from webhook_delivery where status = 'delivered'`
  return (await client.query<{ count: number }>(query)).rows[0]!.count
}

const kinds = {
  'no webhook': undefined,
  'webhook for state events': '',
  'webhook for every change': ', events: [ATTRIBUTE_CHANGE]',
}
const rates = new Map<string, number[]>()
const delivered: number[] = []
try {
  const devices = await registerDevices(server, CLIENTS)
  await measure(devices)
  for (let round = 0; round < rounds; round++) {
    const order = Object.entries(kinds).toSorted(() => Math.random() - 0.5)
    for (const [kind, events] of order) {
      const id = events === undefined ? undefined : await createWebhook(events)
      await sleep(500)
      rates.set(kind, [...(rates.get(kind) ?? []), await measure(devices)])
      if (id === undefined) continue
      if (events !== '') delivered.push((await countDelivered()) / seconds)
      await server.send(`mutation { deleteWebhook(id: "${id}") }`)
      await sleep(1_000)
    }
  }
  const base = rates.get('no webhook')!
  console.table(
    Object.fromEntries(
      [...rates].map(([kind, all]) => {
        const ratios = all.map((rate, round) => rate / base[round]!)
        return [
          kind,
          { 'changes per second': Math.round(percentile(all, 0.5)), ratio: percentile(ratios, 0.5).toFixed(2) },
        ]
      }),
    ),
  )
  console.log('deliveries per second during the changes:', delivered.map(Math.round).join(', '))
} finally {
  await client.end()
  await server.stop()
  await database.stop()
  receiver.stdin.end()
}
process.exit()

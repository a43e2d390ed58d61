import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDatabase } from '../environment/database.ts'
import { percentile } from '../report/statistics.ts'
import { registerDevices, startServer } from './server.ts'

const [rate = 200, seconds = 20] = process.argv.slice(2).map(Number)
const DEVICES = 50

const latencies: number[] = []
const receiver = createServer(async (request, response) => {
  const arrived = Date.now()
  const { timestamp } = (await json(request)) as { timestamp: string }
  // Measure from the event's timestamp, which PostgreSQL sets shortly before the commit.
  latencies.push(arrived - Date.parse(timestamp))
  response.end()
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')

const database = await startDatabase()
const server = await startServer(database)
try {
  const devices = await registerDevices(server, DEVICES)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  await server.send(`mutation { createWebhook(url: "${url}", events: [ATTRIBUTE_CHANGE]) { id } }`)
  const run = async (total: number): Promise<void> => {
    const began = performance.now()
    const sent: Promise<unknown>[] = []
    for (let index = 0; index < total; index++) {
      const due = began + (index * 1_000) / rate
      if (due > performance.now()) await sleep(due - performance.now())
      const device = devices[index % DEVICES]
      sent.push(server.send(`mutation { setAttribute(serviceId: "${device}", name: "n", value: "${began} ${index}") }`))
    }
    await Promise.all(sent)
  }
  await run(rate * 3)
  await sleep(1_000)
  latencies.length = 0
  await run(rate * seconds)
  for (let before = -1; before !== latencies.length; before = latencies.length) await sleep(1_000)
  console.table({
    'events per second': rate,
    events: rate * seconds,
    received: latencies.length,
    'p50 ms': percentile(latencies, 0.5),
    'p90 ms': percentile(latencies, 0.9),
    'p99 ms': percentile(latencies, 0.99),
    'max ms': Math.max(...latencies),
  })
} finally {
  await server.stop()
  await database.stop()
  receiver.closeAllConnections()
  receiver.close()
}
process.exit()

import type { ServerProcess } from '../environment/server-process.ts'
import { startEnvironment } from '../environment/start-environment.ts'
import { startAutocannonLoad } from '../load/autocannon-load.ts'
import { graphql, send, toRequest } from '../run/operation.ts'

const [rounds = 5, seconds = 4] = process.argv.slice(2).map(Number)

const scenarios = [
  { name: 'login', connections: 32, document: '{ login { id } }' },
  {
    name: 'page of 100 devices with attributes and services',
    connections: 16,
    document: '{ login { devices(size: 100) { items { id name state attributes services { id name } } } } }',
  },
]

const environment = await startEnvironment({ devices: 10_000, services: 4, profile: undefined })
const load = startAutocannonLoad()
const servers = new Map<string, ServerProcess>()
const { url: databaseUrl } = environment.database
const settings = {
  'one process': {},
  'two processes': { MUSTER_WORKERS: '2' },
  // These settings simulate a pooler in transaction mode. The server then prepares no statements.
  'one process without prepared statements, as behind a pooler': {
    DATABASE_DIRECT_URL: databaseUrl,
    DATABASE_URL: `${databaseUrl}&pooled=1`,
  },
}

const median = (values: number[]): number => values.toSorted((one, other) => one - other)[values.length >> 1]!

async function measure({ name, connections, document }: (typeof scenarios)[number]): Promise<void> {
  const rates = new Map(Array.from(servers.keys(), (server) => [server, [] as number[]]))
  for (let round = 0; round <= rounds; round++) {
    for (const [server, { url }] of servers) {
      const request = toRequest(url, graphql('server', document), environment.accessKey)
      await send(url, request)
      const result = await load.run({ url, connections, requests: [[request]], until: { seconds } })
      if (result.failed > 0)
        throw new Error(`${server}, ${name}: the number of failed requests is ${result.failed}, not 0.`)
      // The first round warms up the servers.
      if (round > 0) rates.get(server)!.push(result.succeeded / result.seconds)
    }
  }
  const base = rates.get('one process')!
  console.log(`${name}, ${connections} connections:`)
  for (const [server, found] of rates) {
    const ratios = found.map((rate, round) => rate / base[round]!)
    const ratio = `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
    console.log(`  ${server}: ${median(found).toFixed(0)} requests per second, ${ratio} times the rate of one process`)
  }
}

try {
  for (const [name, values] of Object.entries(settings)) servers.set(name, await environment.startServer(values))
  for (const scenario of scenarios) await measure(scenario)
} finally {
  await load.close()
  for (const server of servers.values()) await server.stop()
  await environment.close()
}

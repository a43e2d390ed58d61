import { startAutocannon } from '../load/autocannon-load.ts'
import { graphql, send, toRequest } from '../run/operation.ts'
import type { Program } from '../environment/server-process.ts'
import { openStage } from '../environment/start-environment.ts'

const [rounds = 5, seconds = 4] = process.argv.slice(2).map(Number)

const scenarios = [
  { name: 'login', connections: 32, document: '{ login { id } }' },
  {
    name: 'page of 100, attributes and services',
    connections: 16,
    document: '{ login { devices(size: 100) { items { id name state attributes services { id name } } } } }',
  },
]

const stage = await openStage({ devices: 10_000, services: 4, profile: undefined })
const load = startAutocannon()
const servers = new Map<string, Program>()
const { url } = stage.database
const settings = {
  'one process': {},
  'two processes': { MUSTER_WORKERS: '2' },
  // As behind a pooler, without its own work: no statement is prepared.
  'one process, as by a pooler': { DATABASE_DIRECT_URL: url, DATABASE_URL: `${url}&pooled=1` },
}

const middle = (values: number[]): number => values.toSorted((one, other) => one - other)[values.length >> 1]!

async function measure({ name, connections, document }: (typeof scenarios)[number]): Promise<void> {
  const rates = new Map(Array.from(servers.keys(), (server) => [server, [] as number[]]))
  for (let round = 0; round <= rounds; round++) {
    for (const [server, { url: at }] of servers) {
      const request = toRequest(at, graphql('server', document), stage.accessKey)
      await send(at, request)
      const result = await load.run({ url: at, connections, requests: [[request]], until: { seconds } })
      if (result.failed > 0) throw new Error(`${server}: ${result.failed} requests of ${name} failed`)
      // The first round is for the compilers.
      if (round > 0) rates.get(server)!.push(result.answered / result.seconds)
    }
  }
  const base = rates.get('one process')!
  console.log(`${name}, ${connections} connections:`)
  for (const [server, found] of rates) {
    const ratios = found.map((rate, round) => rate / base[round]!)
    const ratio = `${middle(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
    console.log(`  ${server}: ${middle(found).toFixed(0)} requests a second, ${ratio} of one process`)
  }
}

try {
  for (const [name, more] of Object.entries(settings)) servers.set(name, await stage.startServer(more))
  for (const scenario of scenarios) await measure(scenario)
} finally {
  await load.close()
  for (const server of servers.values()) await server.stop()
  await stage.close()
}

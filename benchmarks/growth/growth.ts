// `npm run bench -- growth/growth`: what a million devices cost more than ten thousand. See README.md.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { connectRunning } from '../../packages/server/src/db/embedded/connect-running.ts'
import { readExplanations } from '../report/explanations.ts'
import { describeMachine } from '../report/machine.ts'
import { HITS, makeFleets } from './fleets.ts'
import { measure, type Result } from './measure.ts'
import { toMarkdown } from './report.ts'
import { type Fleet, growthRows } from './rows.ts'
import { type Server, startServer } from './servers.ts'

const FEW = 10_000
const EMAIL = 'few@example.com'
const SAMPLES = 1_000
const results = new URL('../results/', import.meta.url)

const { values: options } = parseArgs({
  options: {
    devices: { type: 'string', default: '1000000' },
    events: { type: 'string', default: '10000000' },
    data: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    turns: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
  },
})
const sizes = { devices: Number(options.devices), events: Number(options.events) }
const few = Math.min(FEW, sizes.devices)
const progress = (text: string): void => void process.stderr.write(`${text}\n`)

const folder = options.data === undefined ? await mkdtemp(join(tmpdir(), 'muster-growth-')) : resolve(options.data)
const places = { large: join(folder, 'large'), small: join(folder, 'small') }
const servers: Server[] = []
try {
  await makeFleets(places.large, [sizes, { email: EMAIL, devices: few, events: few }], progress)
  const perDevice = sizes.events / sizes.devices
  await makeFleets(places.small, [{ devices: few, events: Math.round(few * perDevice) }], progress)
  await run()
} finally {
  for (const server of servers) await server.stop()
  if (options.data === undefined) await rm(folder, { recursive: true, force: true })
}

async function run(): Promise<void> {
  const large = await open(places.large)
  const small = await open(places.small)
  try {
    const machine = await describeMachine(large.pool)
    const rows = await growthRows({
      few: await fleetOf(large, EMAIL),
      many: await fleetOf(large),
      quiet: await fleetOf(small),
    })
    const found: Result[] = []
    const effort = { rounds: Number(options.rounds), turns: Number(options.turns) }
    for (const row of rows.filter(({ title }) => title.includes(options.only))) {
      const result = await measure(row, effort)
      found.push(result)
      progress(`${row.title}: ${result.times.median.toFixed(2)}`)
    }
    const explanations = await readExplanations(new URL('shortfalls.md', import.meta.url))
    const text = toMarkdown({ machine, method: method(effort), results: found, explanations })
    console.log(text)
    await mkdir(results, { recursive: true })
    const isWhole = options.only === '' && sizes.devices === 1_000_000
    await writeFile(new URL(isWhole ? 'growth.md' : 'growth-partial.md', results), text)
  } finally {
    await large.pool.end()
    await small.pool.end()
  }
}

function method({ rounds, turns }: { rounds: number; turns: number }): string {
  return [
    `Two users of one server, \`few\` with ${few} devices and \`many\` with ${sizes.devices}, each with a service; in the log ${sizes.events} events.`,
    `The short log is that of another server, with ${few} devices and as many events for each of them.`,
    `${rounds} rounds of ${turns} requests for each, one small, one large in turn; pages of 1000 with attributes, filters that find ${HITS}.`,
    'Milliseconds are medians of the medians of rounds, from sending to the last byte; times are those of one round.',
  ].join(' ')
}

interface Place {
  server: Server
  pool: pg.Pool
}

async function open(at: string): Promise<Place> {
  const server = await startServer(at)
  servers.push(server)
  const connection = await connectRunning(at)
  if (connection === undefined) throw new Error(`no database runs in ${at}`)
  return { server, pool: new pg.Pool({ ...connection, max: 1 }) }
}

async function fleetOf({ server, pool }: Place, email?: string): Promise<Fleet> {
  const user = await server.user(email)
  const answer = await user.ask('{ login { id devices(size: 1) { total } } }')
  const { id, devices } = answer.data().login
  const { rows } = await pool.query<{ id: string; hardware_id: string }>(
    `select id, hardware_id from device where account_id = $1
      order by hashtext(id) limit ${SAMPLES}`,
    [id],
  )
  return {
    user,
    devices: devices.total,
    ids: rows.map((row) => row.id),
    hardwareIds: rows.map((row) => row.hardware_id),
  }
}

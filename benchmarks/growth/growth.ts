// `npm run bench -- growth/growth` compares the response times for a large fleet with those for a small fleet. The
// large fleet has a million devices by default, and the small fleet has ten thousand. See README.md.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { connectRunning } from '../../packages/server/src/db/embedded/connect-or-start.ts'
import { readExplanations } from '../report/explanations.ts'
import { describeMachine } from '../report/machine.ts'
import { wholeNumber } from '../run/options.ts'
import type { Fleet } from './fleet.ts'
import { createFleets, MATCHES } from './fleets.ts'
import { measure, type Result } from './measure-ratio.ts'
import { toMarkdown } from './report.ts'
import { growthRows } from './rows.ts'
import { type Server, startServer } from './servers.ts'

const SMALL_FLEET_DEVICES = 10_000
const SMALL_FLEET_EMAIL = 'few@example.com'
const SAMPLE_SIZE = 1_000
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
const sizes = {
  devices: wholeNumber('--devices', options.devices, 1),
  events: wholeNumber('--events', options.events, 1),
}
const repetitions = {
  rounds: wholeNumber('--rounds', options.rounds, 1),
  turns: wholeNumber('--turns', options.turns, 1),
}
const smallFleetDevices = Math.min(SMALL_FLEET_DEVICES, sizes.devices)
const progress = (text: string): void => void process.stderr.write(`${text}\n`)

const folder = options.data === undefined ? await mkdtemp(join(tmpdir(), 'muster-growth-')) : resolve(options.data)
const folders = { longLog: join(folder, 'large'), shortLog: join(folder, 'small') }
const servers: Server[] = []
try {
  const smallFleet = { email: SMALL_FLEET_EMAIL, devices: smallFleetDevices, events: smallFleetDevices }
  await createFleets(folders.longLog, [sizes, smallFleet], progress)
  const eventsPerDevice = sizes.events / sizes.devices
  const events = Math.round(smallFleetDevices * eventsPerDevice)
  await createFleets(folders.shortLog, [{ devices: smallFleetDevices, events }], progress)
  await run()
} finally {
  for (const server of servers) await server.stop()
  if (options.data === undefined) await rm(folder, { recursive: true, force: true })
}

async function run(): Promise<void> {
  const longLog = await open(folders.longLog)
  const shortLog = await open(folders.shortLog)
  try {
    const machine = await describeMachine(longLog.pool)
    const rows = await growthRows({
      small: await readFleet(longLog, SMALL_FLEET_EMAIL),
      large: await readFleet(longLog),
      shortLog: await readFleet(shortLog),
    })
    const measured: Result[] = []
    for (const row of rows.filter(({ title }) => title.includes(options.only))) {
      const result = await measure(row, repetitions)
      measured.push(result)
      progress(`${row.title}: ${result.ratio.median.toFixed(2)}`)
    }
    const explanations = await readExplanations(new URL('shortfalls.md', import.meta.url))
    const method = { ...sizes, ...repetitions, smallFleetDevices, matches: MATCHES }
    const text = toMarkdown({ machine, method, results: measured, explanations })
    console.log(text)
    await mkdir(results, { recursive: true })
    const isComplete = options.only === '' && sizes.devices === 1_000_000
    await writeFile(new URL(isComplete ? 'growth.md' : 'growth-partial.md', results), text)
  } finally {
    await longLog.pool.end()
    await shortLog.pool.end()
  }
}

interface Installation {
  server: Server
  pool: pg.Pool
}

async function open(folder: string): Promise<Installation> {
  const server = await startServer(folder)
  servers.push(server)
  const connection = await connectRunning(folder)
  if (connection === undefined) throw new Error(`No database is running in ${folder}.`)
  return { server, pool: new pg.Pool({ ...connection, max: 1 }) }
}

async function readFleet({ server, pool }: Installation, email?: string): Promise<Fleet> {
  const user = await server.user(email)
  const response = await user.query('{ login { id devices(size: 1) { total } } }')
  const { id, devices } = response.data().login
  const { rows } = await pool.query<{ id: string; hardware_id: string }>(
    `select id, hardware_id from device where account_id = $1
      order by hashtext(id) limit ${SAMPLE_SIZE}`,
    [id],
  )
  return {
    user,
    devices: devices.total,
    ids: rows.map((row) => row.id),
    hardwareIds: rows.map((row) => row.hardware_id),
  }
}

import { once } from 'node:events'
import { type AddressInfo, createServer as createListener } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { FleetServer } from '../../../../benchmarks/mqtt/fleet-server.ts'
import { createDataFolder } from '../database/data-folder.ts'
import { startAttacker } from './attacker-process.ts'
import { checkService, wasRejected } from './checks.ts'
import { createPopulation, type Population } from './population.ts'
import { rows } from './rows.ts'
import { runRow } from './run-row.ts'
import { createServer, openDataFolder } from './server.ts'

const DEVICES = 300
const SECONDS = 2
/** The test opens this fraction of the connections that `npm run test:fairness` opens. */
const SHARE = 0.1

/**
 * The quotas are low, so that attackers soon exhaust them. The other settings are for busy test machines. They keep the
 * server from rejecting requests because of slow iterations of the event loop or slow responses from the database.
 */
const settings = {
  MUSTER_KEY_POINTS: '100',
  MUSTER_KEY_POINTS_PER_SECOND: '12',
  MUSTER_MOST_LAG: '0',
  MUSTER_DATABASE_SILENCE: '20000',
}

let data: Awaited<ReturnType<typeof openDataFolder>>
let server: FleetServer
let population: Population

beforeAll(async () => {
  data = await openDataFolder(undefined)
  await createDataFolder(data.folder)
  server = await createServer(data.folder, settings)
  await server.start()
  population = await createPopulation(data.folder, server.url, DEVICES)
})
afterAll(async () => {
  await server.stop()
  await data.close()
})

describe('a server under attack', () => {
  const attacks = rows.filter(({ name }) => ['1', '4', '6', '4users'].includes(name))

  it.each(attacks)('rejects the attacker and never another user: $name, $attack', async (row) => {
    const result = await runRow({ server, folder: data.folder, population }, row, {
      seconds: SECONDS,
      share: SHARE,
      until: (outcomes) => wasRejected(outcomes, row.closes),
    })
    expect(checkService(result)).toEqual([])
    expect(result.times.length).toBeGreaterThan(0)
  })
})

describe('the attacker', () => {
  it('measures how long a connection is open that the server never closes', async () => {
    const listener = createListener((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
    onTestFinished(() => void listener.close())
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    const attacker = await startAttacker()
    attacker.start([{ host: '127.0.0.1', port, from: '127.0.0.1', connections: 1, requests: [], behavior: 'wait' }])
    await expect.poll(() => attacker.state().open).toBe(1)
    await sleep(200)
    expect((await attacker.stop()).longestOpen).toBeGreaterThan(100)
  })
})

import { readFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { seedDevices } from '../../factories/seed-devices.ts'
import { childrenOf } from '../../faults/signals.ts'
import { sharedTestApp, type TestApp, type TestUser } from '../../harness/app.ts'
import { isCluster } from '../cluster-databases.ts'
import { nodeNames, processOf } from '../nodes.ts'
import { startReader } from './reader.ts'

const ACCOUNTS = 8
const DEVICES = 500
const CLIENTS = 16
const SECONDS = 6
const TICKS_PER_SECOND = 100

const app = sharedTestApp()

interface Fleet {
  user: TestUser
  ids: string[]
}

async function newFleet(): Promise<Fleet> {
  const user = await app.createUser()
  const devices = Array.from({ length: DEVICES }, (_, index) => ({
    name: `gate ${index}`,
    attributes: { site: 'oslo', floor: String(index % 5) },
  }))
  return { user, ids: await seedDevices(app.db, user.accountId, devices) }
}

/** Returns the CPU time of each node, in seconds. */
async function cpuSeconds(): Promise<number[]> {
  const seconds: number[] = []
  for (const name of nodeNames) {
    const node = await processOf(name)
    // The time of a node's main process includes the time of children that have exited.
    let ticks = await ticksOf(node, 4)
    for (const child of await childrenOf(node)) ticks += await ticksOf(child, 2)
    seconds.push(ticks / TICKS_PER_SECOND)
  }
  return seconds
}

/** Reads utime, stime, cutime, and cstime (proc(5), fields 14 to 17). Returns 0 for a process that has exited. */
async function ticksOf(pid: number, fields: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const values = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return values.slice(11, 11 + fields).reduce((sum, value) => sum + Number(value), 0)
}

/** Runs requests of 16 clients for some seconds, and prints the CPU time of PostgreSQL for each request. */
async function measure(name: string, send: (time: number) => Promise<void>): Promise<void> {
  const started = performance.now()
  const before = await cpuSeconds()
  let sent = 0
  const client = async (): Promise<void> => {
    while (performance.now() - started < SECONDS * 1_000) await send(sent++)
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const after = await cpuSeconds()
  const used = after.map((seconds, index) => seconds - before[index]!)
  const ms = (seconds: number): string => ((seconds / sent) * 1_000).toFixed(2)
  const seconds = (performance.now() - started) / 1_000
  expect(sent).toBeGreaterThan(0)
  const place = isCluster ? 'three nodes' : 'plain PostgreSQL'
  const total = used.reduce((sum, each) => sum + each, 0)
  console.log(
    `${place}, ${name}: ${(sent / seconds).toFixed(0)} per second, each with ${ms(total)} ms of CPU time, ${ms(used[0]!)} ms of it on the coordinator`,
  )
}

it('measures changes and pages', async () => {
  const fleets: Fleet[] = []
  for (let index = 0; index < ACCOUNTS; index++) fleets.push(await newFleet())
  // Autovacuum is off. Without statistics, PostgreSQL would sort a whole fleet for each page.
  await sql`analyze`.execute(app.db)
  const fleetOf = (time: number): Fleet => fleets[time % fleets.length]!
  const changeThrough =
    (server: TestApp) =>
    async (time: number): Promise<void> => {
      const { user, ids } = fleetOf(time)
      await server
        .as(user)
        .data(
          'mutation ($id: String!, $value: String!) { setAttribute(serviceId: $id, name: "load", value: $value) }',
          { id: ids[time % ids.length], value: String(time) },
        )
    }
  const pageThrough =
    (server: TestApp) =>
    async (time: number): Promise<void> => {
      const { login } = await server
        .as(fleetOf(time).user)
        .data('{ login { devices(size: 50, sort: "name") { items { id name state attributes } } } }')
      expect(login.devices.items).toHaveLength(50)
    }
  const change = changeThrough(app)
  const page = pageThrough(app)
  // The first requests open connections and prepare statements.
  for (let time = 0; time < 4 * CLIENTS; time += CLIENTS)
    await Promise.all(
      Array.from({ length: CLIENTS }, (_, client) => change(time + client).then(() => page(time + client))),
    )
  await measure('setAttribute', change)
  await measure('a page of 50', page)
  if (!isCluster) return
  const { reader, places } = await startReader(app)
  const pageOfWorker = pageThrough(reader)
  await expect.poll(() => pageOfWorker(0).then(() => places.at(-1))).toBe('replica')
  const changeOnWorker = changeThrough(reader)
  for (let time = 0; time < 4 * CLIENTS; time++) await changeOnWorker(time)
  await measure('setAttribute on the workers', changeOnWorker)
  await measure('a page of 50 that is read from the workers', pageOfWorker)
})

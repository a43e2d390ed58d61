import { readFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { seedDevices } from '../../factories/seed-devices.ts'
import { childrenOf } from '../../faults/signals.ts'
import { sharedTestApp, type TestApp, type TestUser } from '../../harness/app.ts'
import { nodeNames, processOf } from '../nodes.ts'
import { startReader } from './reader.ts'

const ACCOUNTS = 8
const DEVICES = 500
const CLIENTS = 16
const ROUNDS = 5
/** The duration of each measurement, in seconds. */
const SECONDS = 2
const TICKS_PER_SECOND = 100

const app = sharedTestApp()
const plain = sharedTestApp({ isPlain: true })

interface Fleet {
  user: TestUser
  ids: string[]
}

async function newFleets({ db, createUser }: TestApp): Promise<Fleet[]> {
  const fleets: Fleet[] = []
  for (let index = 0; index < ACCOUNTS; index++) {
    const user = await createUser()
    const devices = Array.from({ length: DEVICES }, (_, device) => ({
      name: `gate ${device}`,
      attributes: { site: 'oslo', floor: String(device % 5) },
    }))
    fleets.push({ user, ids: await seedDevices(db, user.accountId, devices) })
  }
  // Collect statistics, because autovacuum is off. PostgreSQL would otherwise sort a whole fleet for each page.
  await sql`analyze`.execute(db)
  return fleets
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

/**
 * Returns the sum of the first `fields` of utime, stime, cutime, and cstime (proc(5), fields 14 to 17), in clock ticks.
 * Returns 0 for a process that has exited.
 */
async function ticksOf(pid: number, fields: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const values = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return values.slice(11, 11 + fields).reduce((sum, value) => sum + Number(value), 0)
}

type Send = (time: number) => Promise<void>

interface Figures {
  /** Requests per second. */
  rate: number
  /** The CPU time of PostgreSQL for each request, in milliseconds. */
  ms: number
  msOfCoordinator: number
}

async function measure(send: Send): Promise<Figures> {
  const started = performance.now()
  const before = await cpuSeconds()
  let sent = 0
  const client = async (): Promise<void> => {
    while (performance.now() - started < SECONDS * 1_000) await send(sent++)
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const used = (await cpuSeconds()).map((seconds, index) => 1_000 * (seconds - before[index]!))
  expect(sent).toBeGreaterThan(0)
  return {
    rate: (1_000 * sent) / (performance.now() - started),
    ms: used.reduce((sum, each) => sum + each, 0) / sent,
    msOfCoordinator: used[0]! / sent,
  }
}

/**
 * In each round, measures plain PostgreSQL, the coordinator, and the workers in turn, so that all three have the same
 * conditions. Prints the medians of the rounds.
 */
async function compare(name: string, sends: Record<'plain' | 'coordinator' | 'workers', Send>): Promise<void> {
  const rounds: Record<keyof typeof sends, Figures>[] = []
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({
      plain: await measure(sends.plain),
      coordinator: await measure(sends.coordinator),
      workers: await measure(sends.workers),
    })
  const medianOf = (read: (round: (typeof rounds)[number]) => number): number =>
    rounds.map(read).toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)]!
  for (const way of ['plain', 'coordinator', 'workers'] as const) {
    const median = (figure: keyof Figures): number => medianOf((round) => round[way][figure])
    const place = { plain: 'plain PostgreSQL', coordinator: 'the coordinator', workers: 'the workers' }[way]
    const ratios = rounds.map((round) => (round.plain.ms / round[way].ms).toFixed(2))
    console.log(
      `${name} on ${place}: ${median('rate').toFixed(0)} per second, each with ${median('ms').toFixed(2)} ms of CPU time, ${median('msOfCoordinator').toFixed(2)} ms of it on the coordinator; ${medianOf((round) => round.plain.ms / round[way].ms).toFixed(2)} times the requests per CPU time of plain PostgreSQL (${ratios.join(', ')})`,
    )
  }
}

/** The number of changes so far. Each change sets this number, because the server does not store an unchanged value. */
let changes = 0

function changeThrough(server: TestApp, fleets: readonly Fleet[]): Send {
  return async (time) => {
    const { user, ids } = fleets[time % fleets.length]!
    await server
      .as(user)
      .data('mutation ($id: String!, $value: String!) { setAttribute(serviceId: $id, name: "load", value: $value) }', {
        id: ids[time % ids.length],
        value: String(changes++),
      })
  }
}

function pageThrough(server: TestApp, fleets: readonly Fleet[]): Send {
  return async (time) => {
    const { login } = await server
      .as(fleets[time % fleets.length]!.user)
      .data('{ login { devices(size: 50, sort: "name") { items { id name state attributes } } } }')
    expect(login.devices.items).toHaveLength(50)
  }
}

it('measures changes and pages', async () => {
  const fleets = await newFleets(app)
  const plainFleets = await newFleets(plain)
  const { reader, places } = await startReader(app)
  const changing = {
    plain: changeThrough(plain, plainFleets),
    coordinator: changeThrough(app, fleets),
    workers: changeThrough(reader, fleets),
  }
  const pages = {
    plain: pageThrough(plain, plainFleets),
    coordinator: pageThrough(app, fleets),
    workers: pageThrough(reader, fleets),
  }
  await expect.poll(() => pages.workers(0).then(() => places.at(-1))).toBe('replica')
  // Send some requests before the measurement, because the first requests open connections and prepare statements.
  for (const send of [...Object.values(changing), ...Object.values(pages)])
    for (let time = 0; time < 4; time++)
      await Promise.all(Array.from({ length: CLIENTS }, (_, client) => send(time * CLIENTS + client)))
  await compare('setAttribute', changing)
  await compare('a page of 50', pages)
})

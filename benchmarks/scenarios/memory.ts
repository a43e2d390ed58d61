import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerProcess } from '../environment/server-process.ts'
import { spreadOf } from '../report/statistics.ts'
import { graphql, send, toRequest } from '../run/operation.ts'
import type { Figure, Scenario, Setting } from './scenario.ts'

const MB = 1_000_000
const DEVICES = 100_000
const SIZE = 1_000
const PAUSE_MS = 5_000

const document = `query ($after: ID) {
  login {
    devices(size: ${SIZE}, after: $after) {
      hasMore
      cursor
      items {
        id name hardwareId platform created state lastReported attributes
        services { id name application port host enabled state }
      }
    }
  }
}`

export const memory: Scenario = {
  name: 'memory',
  title: 'Server memory',
  async measure(setting) {
    // The targets are meant for fleets of at least `DEVICES` devices. For a smaller fleet, one round is enough.
    const count = setting.environment.fleet.devices < DEVICES ? 1 : setting.rounds
    const rounds: Measured[] = []
    for (let round = 1; round <= count; round++) {
      setting.progress(`separate server, round ${round} of ${count}`)
      const measured = await measureOne(setting)
      if (measured === undefined) return { rates: [], figures: [] }
      rounds.push(measured)
    }
    const idle = rounds.map((round) => round.idle)
    const growth = rounds.map((round) => round.growth)
    return {
      rates: [],
      figures: [memoryFigure('idle', idle, 180), memoryFigure('growth while paging 100,000 devices', growth, 100)],
    }
  },
}

interface Measured {
  idle: number
  growth: number
}

/** Returns undefined on systems without /proc. */
async function measureOne(setting: Setting): Promise<Measured | undefined> {
  const server = await setting.environment.startServer()
  try {
    const idle = await idleBytes(server, setting)
    if (idle === undefined) return undefined
    return { idle, growth: (await peakBytesDuring(server, pageThrough(server, setting))) - idle }
  } finally {
    await server.stop()
  }
}

export async function idleBytes(server: ServerProcess, { environment }: Setting): Promise<number | undefined> {
  await send(server.url, toRequest(server.url, graphql('server', '{ login { id } }'), environment.accessKey))
  await sleep(PAUSE_MS)
  return server.memory()
}

interface Page {
  data: { login: { devices: { hasMore: boolean; cursor: string | null } } }
}

/** Reads `DEVICES` devices, page by page. If the fleet is smaller, reads it repeatedly. */
async function pageThrough({ url }: ServerProcess, { environment }: Setting): Promise<void> {
  let after: string | undefined
  for (let seen = 0; seen < DEVICES; seen += SIZE) {
    const operation = graphql('server', document, { after })
    const { data } = (await send(url, toRequest(url, operation, environment.accessKey))) as Page
    const { hasMore, cursor } = data.login.devices
    after = hasMore ? (cursor ?? undefined) : undefined
  }
}

export async function peakBytesDuring(server: ServerProcess, work: Promise<void>): Promise<number> {
  let peak = 0
  let isDone = false
  const done = work.finally(() => (isDone = true))
  done.catch(() => {})
  while (!isDone) {
    peak = Math.max(peak, (await server.memory()) ?? 0)
    await sleep(20)
  }
  await done
  return peak
}

/** Converts sizes in bytes to a figure in MB, with a target of at most `max` MB. */
export const memoryFigure = (name: string, bytes: readonly number[], max: number): Figure => ({
  name,
  spread: spreadOf(bytes.map((each) => each / MB)),
  unit: 'MB',
  target: { limit: 'max', value: max },
})

import { setTimeout as sleep } from 'node:timers/promises'
import { graphql, send, toRequest } from '../run/operation.ts'
import type { Program } from '../environment/server-process.ts'
import { spreadOf } from '../report/statistics.ts'
import type { Figure, Scenario, Setting } from './scenario.ts'

const MB = 1_000_000
const DEVICES = 100_000
const SIZE = 1_000
const SETTLING_MS = 5_000

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
  title: 'Memory of the server',
  async measure(setting) {
    // With a smaller fleet it is only tried out.
    const count = setting.stage.fleet.devices < DEVICES ? 1 : setting.rounds
    const rounds: Measured[] = []
    for (let round = 1; round <= count; round++) {
      setting.progress(`a server of its own, round ${round} of ${count}`)
      const measured = await measureOne(setting)
      if (measured === undefined) return { rates: [], figures: [] }
      rounds.push(measured)
    }
    const idle = rounds.map((round) => round.idle)
    const more = rounds.map((round) => round.more)
    return {
      rates: [],
      figures: [figure('idle', idle, 180), figure('more while paging 100,000 devices', more, 100)],
    }
  },
}

/** Bytes. */
interface Measured {
  idle: number
  more: number
}

/** Undefined where the system does not tell. */
async function measureOne(setting: Setting): Promise<Measured | undefined> {
  const server = await setting.stage.startServer()
  try {
    const idle = await idleBytes(server, setting)
    if (idle === undefined) return undefined
    return { idle, more: (await mostBytesWhile(server, pageThrough(server, setting))) - idle }
  } finally {
    await server.stop()
  }
}

/** After the first answer, once it had time to come to rest. */
async function idleBytes(server: Program, { stage }: Setting): Promise<number | undefined> {
  await send(server.url, toRequest(server.url, graphql('server', '{ login { id } }'), stage.accessKey))
  await sleep(SETTLING_MS)
  return server.memory()
}

/** What the document above is answered with. */
interface Page {
  data: { login: { devices: { hasMore: boolean; cursor: string | null } } }
}

/** Page after page; a smaller fleet begins again from its start. */
async function pageThrough({ url }: Program, { stage }: Setting): Promise<void> {
  let after: string | undefined
  for (let seen = 0; seen < DEVICES; seen += SIZE) {
    const operation = graphql('server', document, { after })
    const { data } = (await send(url, toRequest(url, operation, stage.accessKey))) as Page
    const { hasMore, cursor } = data.login.devices
    after = hasMore ? (cursor ?? undefined) : undefined
  }
}

async function mostBytesWhile(server: Program, work: Promise<void>): Promise<number> {
  let most = 0
  let isOver = false
  const over = work.finally(() => (isOver = true))
  over.catch(() => {})
  while (!isOver) {
    most = Math.max(most, (await server.memory()) ?? 0)
    await sleep(20)
  }
  await over
  return most
}

const figure = (name: string, bytes: readonly number[], most: number): Figure => ({
  name,
  spread: spreadOf(bytes.map((each) => each / MB)),
  unit: 'MB',
  target: { bound: 'most', value: most },
})

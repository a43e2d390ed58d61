import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerProcess } from '../environment/server-process.ts'
import { graphql, send, toRequest } from '../run/operation.ts'
import { idleBytes, memoryFigure, peakBytesDuring } from './memory.ts'
import type { Scenario, Setting } from './scenario.ts'

const CONNECTIONS = 50
/** Number of devices that together fill a page of 30 MB. */
const DEVICES = 500
const ATTRIBUTES = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, 'x'.repeat(15_000)]))
/**
 * How long the connections stay open after the first response. Within this time, the server rejects the requests that
 * wait for memory.
 */
const OPEN_MS = 20_000

const document = `{ login { devices(size: ${DEVICES}, sort: "-created") { items { id attributes } } } }`

export const unreadPages: Scenario = {
  name: 'unread',
  title: 'Memory for unread pages of 30 MB',
  async measure(setting) {
    const growth: number[] = []
    const ids = await createDevices(setting)
    try {
      for (let round = 1; round <= setting.rounds; round++) {
        setting.progress(`separate server, round ${round} of ${setting.rounds}`)
        const measured = await measureGrowth(setting)
        if (measured === undefined) return { rates: [], figures: [] }
        growth.push(measured)
      }
    } finally {
      await run(setting, 'mutation ($ids: [String!]!) { deleteDevices(deviceId: $ids) }', { ids })
    }
    return { rates: [], figures: [memoryFigure(`growth with ${CONNECTIONS} connections`, growth, 100)] }
  },
}

const run = async ({ environment }: Setting, query: string, variables: object): Promise<unknown> => {
  const { url } = await environment.processOf('server')
  return send(url, toRequest(url, graphql('server', query, variables), environment.accessKey))
}

async function createDevices(setting: Setting): Promise<string[]> {
  const mutation =
    'mutation ($attributes: Object) { registerDevice(name: "large", attributes: $attributes) { device { id } } }'
  const ids: string[] = []
  for (let index = 0; index < DEVICES; index++) {
    const { data } = (await run(setting, mutation, { attributes: ATTRIBUTES })) as Registered
    ids.push(data.registerDevice.device.id)
  }
  return ids
}

interface Registered {
  data: { registerDevice: { device: { id: string } } }
}

async function measureGrowth(setting: Setting): Promise<number | undefined> {
  const server = await setting.environment.startServer()
  try {
    const idle = await idleBytes(server, setting)
    return idle && (await peakBytesDuring(server, leaveUnread(server, setting))) - idle
  } finally {
    await server.stop()
  }
}

async function leaveUnread({ url }: ServerProcess, { environment }: Setting): Promise<void> {
  const requests = Array.from({ length: CONNECTIONS }, (): ClientRequest => {
    const { path, body, ...options } = toRequest(url, graphql('server', document), environment.accessKey)
    // Nothing listens for the response's data, so Node.js does not read the data.
    return request(new URL(path, url), { ...options, agent: false })
      .on('error', () => {})
      .end(body)
  })
  const [first] = await Promise.race(requests.map((each) => once(each, 'response')))
  if (first.statusCode !== 200) throw new Error(`The server responded with status ${first.statusCode}, not 200.`)
  await sleep(OPEN_MS)
  for (const each of requests) each.destroy()
}

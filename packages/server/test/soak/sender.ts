import { signRequest } from '@muster/http-signature'
import { type Connection, openConnection } from './connection.ts'
import type { Ground } from './ground.ts'
import { spread } from './mix.ts'

/** Sends the mix of the soak, each request on the connection that has been free for longest. */
export interface Sender {
  /** Connections on which nothing is under way. */
  readonly free: number
  /** Resolves with the status once the whole answer is there. One connection must be free. */
  send(): Promise<number>
  close(): void
}

const PATH = '/graphql/v1'
const HEADERS = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
/** Signed beforehand, and then sent over and over: enough for each that is set to be given several values in turn. */
const REQUESTS = 20_000

export async function createSender(ground: Ground, connections: number): Promise<Sender> {
  const url = new URL(ground.url)
  const all = await Promise.all(Array.from({ length: connections }, () => openConnection(url)))
  const free: Connection[] = [...all]
  const requests = signedRequests(ground)
  let next = 0
  return {
    get free() {
      return free.length
    },
    async send() {
      const connection = free.shift()!
      try {
        return await connection.ask(requests[next++ % requests.length]!)
      } finally {
        free.push(connection)
      }
    },
    close() {
      for (const connection of all) connection.close()
    },
  }
}

function signedRequests({ url, keyId, key, devices }: Ground): Buffer[] {
  const asks = spread()
  const created = Math.floor(Date.now() / 1_000)
  return Array.from({ length: REQUESTS }, (_, index) => {
    const ask = asks[index % asks.length]!
    const device = devices[(index * 7_919) % devices.length]!
    const body = JSON.stringify({ query: ask.document, variables: ask.variables(device.id) })
    const signature = signRequest({ keyId, key, method: 'POST', url: `${url}${PATH}`, headers: HEADERS, body, created })
    const headers = { host: new URL(url).host, ...HEADERS, ...signature, 'content-length': Buffer.byteLength(body) }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    return Buffer.from(`POST ${PATH} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
  })
}

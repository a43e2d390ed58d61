import { signRequest } from '@muster/http-signature'
import { type Connection, openConnection } from './connection.ts'
import type { Environment } from './environment.ts'
import { spread } from './mix.ts'

/** Sends the operations of the soak test, each on the connection that has been idle the longest. */
export interface Sender {
  readonly free: number
  /** Sends the next request and returns the response status. Requires an idle connection. */
  send(): Promise<number>
  close(): void
}

const PATH = '/graphql/v1'
const HEADERS = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
/** The number of requests to sign in advance and send in rotation, high enough that repeated writes change values. */
const REQUESTS = 20_000

export async function createSender(environment: Environment, connections: number): Promise<Sender> {
  const url = new URL(environment.url)
  const all = await Promise.all(Array.from({ length: connections }, () => openConnection(url)))
  const free: Connection[] = [...all]
  const requests = signedRequests(environment)
  let next = 0
  return {
    get free() {
      return free.length
    },
    async send() {
      const connection = free.shift()!
      try {
        return await connection.send(requests[next++ % requests.length]!)
      } finally {
        free.push(connection)
      }
    },
    close() {
      for (const connection of all) connection.close()
    },
  }
}

function signedRequests({ url, keyId, key, devices }: Environment): Buffer[] {
  const operations = spread()
  const created = Math.floor(Date.now() / 1_000)
  return Array.from({ length: REQUESTS }, (_, index) => {
    const operation = operations[index % operations.length]!
    const device = devices[(index * 7_919) % devices.length]!
    const body = JSON.stringify({ query: operation.document, variables: operation.variables(device.id) })
    const signature = signRequest({ keyId, key, method: 'POST', url: `${url}${PATH}`, headers: HEADERS, body, created })
    const headers = { host: new URL(url).host, ...HEADERS, ...signature, 'content-length': Buffer.byteLength(body) }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    return Buffer.from(`POST ${PATH} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
  })
}

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Where the webhooks of the pictures go. */
export interface Receivers {
  /** Takes everything. */
  well: string
  /** Has no room for anything. */
  ill: string
  close(): Promise<void>
}

export async function startReceivers(): Promise<Receivers> {
  const [well, ill] = [await start(200, '{"taken":true}'), await start(503, '{"error":"the queue is full"}')]
  return {
    well: `${urlOf(well)}/muster/alerts`,
    ill: `${urlOf(ill)}/hooks/inventory`,
    async close() {
      for (const server of [well, ill]) {
        server.close()
        server.closeAllConnections()
        await once(server, 'close')
      }
    },
  }
}

async function start(status: number, answer: string): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(status, { 'content-type': 'application/json' }).end(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

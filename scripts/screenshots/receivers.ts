import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Receivers {
  succeeding: string
  failing: string
  close(): Promise<void>
}

export async function startReceivers(): Promise<Receivers> {
  const [succeeding, failing] = [
    await start(200, '{"accepted":true}'),
    await start(503, '{"error":"the queue is full"}'),
  ]
  return {
    succeeding: `${urlOf(succeeding)}/muster/alerts`,
    failing: `${urlOf(failing)}/hooks/inventory`,
    async close() {
      for (const server of [succeeding, failing]) {
        server.close()
        server.closeAllConnections()
        await once(server, 'close')
      }
    },
  }
}

async function start(status: number, body: string): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(status, { 'content-type': 'application/json' }).end(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

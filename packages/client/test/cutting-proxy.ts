import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface CuttingProxy {
  url: string
  connections(): number
  cut(): void
  /** Drops the next `count` responses and cuts their connections. */
  dropResponses(count: number): void
}

export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let count = 0
  let responsesToDrop = 0
  const server = createServer((client) => {
    count++
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (chunk) => upstream.write(chunk))
    upstream.on('data', (chunk) => {
      if (responsesToDrop > 0 && !client.destroyed) {
        responsesToDrop--
        client.destroy()
      } else if (!client.destroyed) client.write(chunk)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  onTestFinished(() => {
    server.close()
    cut()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    cut,
    dropResponses(responses) {
      responsesToDrop = responses
    },
  }
}

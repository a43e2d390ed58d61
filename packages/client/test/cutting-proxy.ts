import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface CuttingProxy {
  url: string
  /** Connections that came. */
  connections(): number
  /** Cuts all that are open. */
  cut(): void
  /** Cuts so many of the next connections once the server has answered on them, and holds the answer back. */
  holdBackAnswers(count: number): void
}

/** Stands before a server and breaks connections at the worst time: when the request was done and nobody was told. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let count = 0
  let heldBack = 0
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
      if (heldBack > 0 && !client.destroyed) {
        heldBack--
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
    holdBackAnswers(answers) {
      heldBack = answers
    },
  }
}

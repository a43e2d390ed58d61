import { once } from 'node:events'
import { createServer, type Server, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface BulkProxy {
  url: string
  /** Goes away at once, in the middle of whatever is under way. */
  breakDown(): void
  /** Comes back at the same address. */
  comeBack(): Promise<void>
}

/**
 * Stands before a server, and calls `onBatch` with the number of each request that changes many, before it passes it on: so a
 * test can meddle at a place that is the same each time.
 */
export async function startBulkProxy(
  target: string,
  onBatch: (number: number) => void | Promise<void>,
): Promise<BulkProxy> {
  let batches = 0
  const { hostname, port } = new URL(target)
  const server: Server = createServer(async (request, response) => {
    try {
      const body = await buffer(request)
      if (body.includes('setAttributesMany')) await onBatch(++batches)
      const { method, url: path, headers } = request
      const forwarded = send({ hostname, port, method, path, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      forwarded.on('error', () => response.destroy())
      forwarded.end(body)
    } catch {
      response.destroy()
    }
  })
  const listen = async (at: number): Promise<void> => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const own = (server.address() as AddressInfo).port
  const breakDown = (): void => server.close().closeAllConnections()
  onTestFinished(() => void (server.listening && breakDown()))
  return { url: `http://127.0.0.1:${own}`, breakDown, comeBack: () => listen(own) }
}

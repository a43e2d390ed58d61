import { once } from 'node:events'
import { createServer, type Server, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { claimPorts } from '../../server/test/ports.ts'

export interface BulkProxy {
  url: string
  /** Goes away at once, in the middle of whatever is under way. */
  breakDown(): void
  /** Comes back at the same address. */
  comeBack(): Promise<void>
}

/**
 * Stands before a server, and calls `onBatch` with the number of each request that holds this mutation, before it passes it on:
 * so a test can meddle at a place that is the same each time.
 */
export async function startBulkProxy(
  target: string,
  mutation: string,
  onBatch: (number: number) => void | Promise<void>,
): Promise<BulkProxy> {
  let batches = 0
  const { hostname, port: targetPort } = new URL(target)
  const server: Server = createServer(async (request, response) => {
    try {
      const body = await buffer(request)
      if (body.includes(mutation)) await onBatch(++batches)
      const { method, url: path, headers } = request
      const forwarded = send({ hostname, port: targetPort, method, path, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      forwarded.on('error', () => response.destroy())
      forwarded.end(body)
    } catch {
      response.destroy()
    }
  })
  const [port] = await claimPorts(1)
  const listen = async (): Promise<void> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen()
  const breakDown = (): void => server.close().closeAllConnections()
  onTestFinished(() => void (server.listening && breakDown()))
  return { url: `http://127.0.0.1:${port}`, breakDown, comeBack: listen }
}

import { once } from 'node:events'
import { createServer, type Server, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { claimPorts } from '../../../server/test/harness/ports.ts'

export interface BatchProxy {
  url: string
  interrupt(): void
  listenAgain(): Promise<void>
}

/**
 * Starts a proxy. Before forwarding the nth request that contains `mutation`, the proxy waits for `onBatch(n)`, so that
 * a test can interfere at a fixed point.
 */
export async function startBatchProxy(
  target: string,
  mutation: string,
  onBatch: (number: number) => void | Promise<void>,
): Promise<BatchProxy> {
  let batches = 0
  const { hostname, port: targetPort } = new URL(target)
  const server: Server = createServer(async (request, response) => {
    try {
      const body = await buffer(request)
      if (body.includes(mutation)) await onBatch(++batches)
      const { method, url: path, headers } = request
      const forwarded = send({ hostname, port: targetPort, method, path, headers, agent: false }, (upstream) => {
        response.writeHead(upstream.statusCode ?? 502, upstream.headers)
        upstream.pipe(response)
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
  const interrupt = (): void => server.close().closeAllConnections()
  onTestFinished(() => void (server.listening && interrupt()))
  return { url: `http://127.0.0.1:${port}`, interrupt, listenAgain: listen }
}

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PageServer {
  url: string
  close(): void
}

export async function servePage(script: string, api: string): Promise<PageServer> {
  const server = createServer((incoming, response) => {
    const { method, url, headers } = incoming
    if (url === '/') {
      response.setHeader('content-type', 'text/html')
      return void response.end('<meta charset="utf-8"><body><script type="module" src="/page.js"></script>')
    }
    if (url === '/page.js') {
      response.setHeader('content-type', 'text/javascript')
      return void response.end(script)
    }
    const forwarded = request(api + url, { method, headers }, (upstream) => {
      response.writeHead(upstream.statusCode!, upstream.headers)
      upstream.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close().closeAllConnections(),
  }
}

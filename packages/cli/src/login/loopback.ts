import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Returned = { code: string } | { error: string }

export interface Loopback {
  port: number
  /** Resolves with the first return of the browser that no earlier call received, and waits for one if necessary. */
  next(): Promise<Returned>
  close(): void
}

const page = (text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Muster</title><p>${text}</p></html>`

/** Listens for the browser, which returns to this machine after the user allows or denies the sign-in request. */
export async function listenForBrowser(): Promise<Loopback> {
  const waiting: ((returned: Returned) => void)[] = []
  const arrived: Returned[] = []
  const receive = (returned: Returned): void => {
    const resolve = waiting.shift()
    if (resolve === undefined) arrived.push(returned)
    else resolve(returned)
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const [code, error] = [searchParams.get('code'), searchParams.get('error')]
    const isReturn = request.method === 'GET' && pathname === '/' && (code !== null || error !== null)
    response.writeHead(isReturn ? 200 : 404, { 'content-type': 'text/html; charset=utf-8', connection: 'close' })
    response.end(page(isReturn ? 'You can close this page and return to the terminal.' : 'This page does not exist.'))
    if (!isReturn) return
    receive(code === null ? { error: error! } : { code })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    next: () => {
      const returned = arrived.shift()
      return returned === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(returned)
    },
    close() {
      server.close()
      server.closeIdleConnections()
    },
  }
}

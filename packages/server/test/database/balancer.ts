import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'

export interface Balancer {
  at: pg.ClientConfig
  /**
   * Delays the data that clients send. When the first data arrives, resolves with a function that forwards the delayed
   * data and ends the delay.
   */
  hold(): Promise<() => void>
  close(): void
}

/** Starts a load balancer, which connects each new client to the next of the databases in turn. */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const sockets = new Set<Socket>()
  let next = 0
  let held: { data: [to: Socket, chunk: Buffer][]; onData: () => void } | undefined
  const server = createServer((inner) => {
    const { host, port } = new pg.Client({ connectionString: urls[next++ % urls.length]! })
    const outer = connect(`${host}/.s.PGSQL.${port}`)
    for (const [one, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {}).on('close', () => other.destroy())
    }
    outer.pipe(inner)
    inner.on('data', (chunk: Buffer) => {
      if (held === undefined) return void outer.write(chunk)
      held.data.push([outer, chunk])
      held.onData()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    at: { host: '127.0.0.1', port: (server.address() as AddressInfo).port, user: 'muster' },
    async hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = { data: [], onData: resolve }
      await promise
      return () => {
        for (const [to, chunk] of held?.data ?? []) to.write(chunk)
        held = undefined
      }
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

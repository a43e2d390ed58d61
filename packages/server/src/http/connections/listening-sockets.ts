import cluster from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net'
import type { FastifyInstance, FastifyListenOptions } from 'fastify'

/**
 * The number of sockets that listen on a port. Linux distributes connections among them, but macOS and Windows do not
 * (docs/decisions/0021). Workers of `node:cluster` need only one, because the primary process listens for them.
 */
const SOCKETS = process.platform === 'linux' && cluster.isPrimary ? 16 : 1
/** The maximum length of each socket's queue of new connections. After a restart, all clients reconnect at once. */
const BACKLOG = 4_096

/**
 * Listens at the address, on Linux with several sockets. Rejects if the server cannot listen, for example because the
 * port is in use.
 */
export async function acceptConnections(app: FastifyInstance, address: { host: string; port: number }): Promise<void> {
  const options = { ...address, backlog: BACKLOG, reusePort: SOCKETS > 1 }
  // With `reusePort`, this server could share the port with another server of the same user. To prevent that, this
  // server first listens without `reusePort`, which fails if the port is in use.
  if (options.reusePort && address.port !== 0) await close(await listen(createServer(), address))
  // Fastify passes the options to `listen` of node:net, but its types lack `reusePort`.
  await app.listen(options satisfies ListenOptions as FastifyListenOptions)
  if (options.reusePort) await acceptMore(app, options)
}

/** Opens more sockets on the server's port. They close with the server. */
async function acceptMore(app: FastifyInstance, options: ListenOptions): Promise<void> {
  const { server } = app
  const sockets = await Promise.all(
    (app.addresses() as AddressInfo[]).flatMap(({ address: host, port }) =>
      Array.from({ length: SOCKETS - 1 }, () => {
        const accepting = createServer({ allowHalfOpen: isHalfOpen(server), noDelay: true })
        accepting.on('connection', (socket) => server.emit('connection', socket))
        return listen(accepting, { ...options, host, port })
      }),
    ),
  )
  const closeServer = server.close.bind(server)
  server.close = (callback) => {
    const closed = Promise.all(sockets.map(close))
    return closeServer((error) => void closed.then(() => callback?.(error)))
  }
}

const isHalfOpen = (server: Server): boolean => (server as unknown as { allowHalfOpen: boolean }).allowHalfOpen

async function listen(server: Server, options: ListenOptions): Promise<Server> {
  await once(server.listen(options), 'listening')
  return server
}

async function close(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}

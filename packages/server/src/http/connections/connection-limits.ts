import type { Server, Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { isIn, networkOf, plainAddress } from '../../lib/client-address.ts'
import type { Metrics } from '../../metrics.ts'
import { createRejectionLog } from '../rejection-log.ts'

export interface ConnectionLimitsOptions {
  config: Pick<Config, 'httpConnections' | 'httpConnectionsPerAddress' | 'trustedProxies'>
  metrics?: Metrics | undefined
}

type Limit = 'address' | 'total'

const settingOf: Readonly<Record<Limit, string>> = {
  address: 'MUSTER_HTTP_CONNECTIONS_PER_ADDRESS',
  total: 'MUSTER_HTTP_CONNECTIONS',
}

/**
 * The functions that stop counting a connection. The keys consist of the connection's addresses and ports. A TLS socket
 * has the same ones as its underlying socket, which was counted.
 */
const releases = new Map<string, () => void>()

/** Stops counting a connection that became a WebSocket, because the MQTT broker limits WebSockets. */
export const releaseConnection = (socket: Socket): void => releases.get(addressesOf(socket))?.()

/** Closes connections above the limits before the server allocates memory for a TLS session or an HTTP parser. */
export function limitConnections(app: FastifyInstance, { config, metrics }: ConnectionLimitsOptions): void {
  const isTrustedProxy = isIn(config.trustedProxies)
  const countRejected = metrics?.counter('httpConnectionsRejected')
  const log = createRejectionLog(app.log, 'an HTTP connection was closed because too many are open')
  const perAddress = new Map<string, number>()
  let total = 0

  const limitReached = (address: string): Limit | undefined => {
    if (total >= config.httpConnections) return 'total'
    // All clients behind a proxy share the proxy's address. Request limits apply to each client's address instead.
    if (isTrustedProxy(address)) return undefined
    return (perAddress.get(networkOf(address)) ?? 0) < config.httpConnectionsPerAddress ? undefined : 'address'
  }

  const count = (socket: Socket, network: string): void => {
    const addresses = addressesOf(socket)
    let isCounted = true
    total++
    perAddress.set(network, (perAddress.get(network) ?? 0) + 1)
    const release = (): void => {
      if (!isCounted) return
      isCounted = false
      total--
      if (releases.get(addresses) === release) releases.delete(addresses)
      const remaining = perAddress.get(network)! - 1
      if (remaining === 0) perAddress.delete(network)
      else perAddress.set(network, remaining)
    }
    releases.set(addresses, release)
    socket.once('close', release)
  }

  const isAccepted = (socket: Socket): boolean => {
    // A client that has already disconnected has no address.
    if (socket.remoteAddress === undefined) return false
    const address = plainAddress(socket.remoteAddress)
    const limit = limitReached(address)
    if (limit === undefined) {
      count(socket, networkOf(address))
      return true
    }
    countRejected?.(limit)
    log(settingOf[limit], { address })
    return false
  }

  limitServer(app.server, isAccepted)
  app.addHook('onListen', async () => {
    for (const server of otherServers(app)) limitServer(server, isAccepted)
  })
  metrics?.gauge('httpConnections', () => total)
}

function limitServer(server: Server, isAccepted: (socket: Socket) => boolean): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket) => {
    if (!isAccepted(socket)) return socket.destroy()
    for (const listener of listeners) listener.call(server, socket)
  })
}

const addressesOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`

/** For the host `localhost`, Fastify starts one server per address of that host and exposes only the first one. */
function otherServers(app: FastifyInstance): Server[] {
  const key = Object.getOwnPropertySymbols(app).find(({ description }) => description === 'fastify.serverBindings')
  if (key === undefined)
    throw new Error('this version of Fastify is not supported: it has no symbol property fastify.serverBindings')
  return (app as unknown as Record<symbol, Server[]>)[key]!.filter((server) => server !== app.server)
}

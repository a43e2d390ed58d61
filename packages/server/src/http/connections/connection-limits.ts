import type { Server, Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { isIn, networkOf, plainAddress } from '../../lib/client-address.ts'
import type { Metrics } from '../../metrics.ts'
import { createRefusalLog } from '../refusals.ts'

export interface ConnectionLimitsOptions {
  config: Pick<Config, 'httpConnections' | 'httpConnectionsPerAddress' | 'trustedProxies'>
  metrics?: Metrics | undefined
}

type Limit = 'address' | 'total'

const settingOf: Readonly<Record<Limit, string>> = {
  address: 'MUSTER_HTTP_CONNECTIONS_PER_ADDRESS',
  total: 'MUSTER_HTTP_CONNECTIONS',
}

/** Ends the count of a connection, by the addresses of its two ends. A TLS socket and the socket below it have the same. */
const releases = new Map<string, () => void>()

/** For a connection that has become a WebSocket: MQTT limits those. */
export const releaseConnection = (socket: Socket): void => releases.get(endsOf(socket))?.()

/** Closes connections above the limits as soon as they are accepted, before a TLS handshake. */
export function limitConnections(app: FastifyInstance, { config, metrics }: ConnectionLimitsOptions): void {
  const isTrustedProxy = isIn(config.trustedProxies)
  const countRejected = metrics?.counter('httpConnectionsRejected')
  const log = createRefusalLog(app.log, 'an HTTP connection was closed because too many are open')
  const perAddress = new Map<string, number>()
  let total = 0

  const limitReached = (address: string): Limit | undefined => {
    if (total >= config.httpConnections) return 'total'
    // All clients of a proxy have its address here. Requests have the client's address, and limits for it.
    if (isTrustedProxy(address)) return undefined
    return (perAddress.get(networkOf(address)) ?? 0) < config.httpConnectionsPerAddress ? undefined : 'address'
  }

  const count = (socket: Socket, network: string): void => {
    const ends = endsOf(socket)
    let isCounted = true
    total++
    perAddress.set(network, (perAddress.get(network) ?? 0) + 1)
    const release = (): void => {
      if (!isCounted) return
      isCounted = false
      total--
      if (releases.get(ends) === release) releases.delete(ends)
      const left = perAddress.get(network)! - 1
      if (left === 0) perAddress.delete(network)
      else perAddress.set(network, left)
    }
    releases.set(ends, release)
    socket.once('close', release)
  }

  const accept = (socket: Socket): void => {
    // Unknown when the client has left already.
    if (socket.remoteAddress === undefined) {
      socket.destroy()
      return
    }
    const address = plainAddress(socket.remoteAddress)
    const limit = limitReached(address)
    if (limit === undefined) {
      count(socket, networkOf(address))
      return
    }
    socket.destroy()
    countRejected?.(limit)
    log(settingOf[limit], { address })
  }

  app.server.on('connection', accept)
  app.addHook('onListen', async () => {
    for (const server of otherServers(app)) server.on('connection', accept)
  })
  metrics?.gauge('httpConnections', () => total)
}

const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`

/** For the host `localhost` Fastify listens on each of its addresses, with one server for each, and makes only the first one public. */
function otherServers(app: FastifyInstance): Server[] {
  const key = Object.getOwnPropertySymbols(app).find(({ description }) => description === 'fastify.serverBindings')
  if (key === undefined) throw new Error('Fastify has no list of its servers under the name fastify.serverBindings')
  return (app as unknown as Record<symbol, Server[]>)[key]!.filter((server) => server !== app.server)
}

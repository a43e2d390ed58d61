import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { FastifyBaseLogger } from 'fastify'
import { plainAddress } from '../lib/client-address.ts'
import type { ServedCertificate } from '../tls/certificate-watch.ts'
import type { Broker } from './broker.ts'

const KEEP_ALIVE_MS = 60_000
/** The maximum length of the queue of new connections. After a restart, all devices reconnect at the same time. */
const BACKLOG = 4_096

export interface MqttListener {
  port: number
  close(): Promise<void>
}

export interface MqttListenerOptions {
  host: string
  /** The port to listen on. 0 selects any free port. */
  port: number
  /** If undefined, the port accepts plain TCP. */
  certificate: ServedCertificate | undefined
  log: FastifyBaseLogger
}

/** Listens for MQTT connections. If listening fails, logs the reason and returns undefined. */
export async function listenForMqtt(broker: Broker, options: MqttListenerOptions): Promise<MqttListener | undefined> {
  const { host, port, certificate, log } = options
  const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }, (socket) => {
    if (socket.remoteAddress === undefined) return void socket.destroy()
    const address = plainAddress(socket.remoteAddress)
    broker.accept(certificate === undefined ? socket : toTlsSocket(socket, certificate), address)
  })
  try {
    server.listen({ host, port, backlog: BACKLOG })
    await once(server, 'listening')
  } catch (error) {
    log.error({ err: error }, listenError(error as NodeJS.ErrnoException, host, port))
    return undefined
  }
  server.on('error', (error) => log.error({ err: error }, 'cannot accept MQTT connections'))
  return { port: (server.address() as AddressInfo).port, close: () => stop(server) }
}

const toTlsSocket = (socket: Socket, certificate: ServedCertificate): TLSSocket =>
  new TLSSocket(socket, { isServer: true, secureContext: certificate.current().context })

function listenError({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  const causes: Record<string, string> = {
    EADDRINUSE:
      'the port is in use. Stop the process that listens on it, or set MUSTER_MQTT_PORT to another port (0 for none), and restart the server',
    EACCES: 'this user is not allowed to use the port. Set MUSTER_MQTT_PORT to 1024 or above, and restart the server',
  }
  return `MQTT is not served on port ${port} of ${host}: ${causes[code ?? ''] ?? message}. MQTT over WebSocket at /mqtt still works.`
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  await closed
}

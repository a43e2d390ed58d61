import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { FastifyBaseLogger } from 'fastify'
import { plainAddress } from '../lib/client-address.ts'
import type { ServedCertificate } from '../tls/served-certificate.ts'
import type { Broker } from './broker.ts'

const KEEP_ALIVE_MS = 60_000
/** After a restart all devices come at once. */
const BACKLOG = 4_096

export interface MqttListener {
  port: number
  close(): Promise<void>
}

export interface MqttListenerOptions {
  host: string
  /** 0: any free one. */
  port: number
  /** Undefined: plain TCP. */
  certificate: ServedCertificate | undefined
  log: FastifyBaseLogger
}

/** Listens for MQTT over TCP, or TLS. Undefined where the port cannot be had: the log says why. */
export async function listenForMqtt(broker: Broker, options: MqttListenerOptions): Promise<MqttListener | undefined> {
  const { host, port, certificate, log } = options
  const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }, (socket) => {
    if (socket.remoteAddress === undefined) return void socket.destroy()
    const address = plainAddress(socket.remoteAddress)
    broker.accept(certificate === undefined ? socket : secured(socket, certificate), address)
  })
  try {
    server.listen({ host, port, backlog: BACKLOG })
    await once(server, 'listening')
  } catch (error) {
    log.error({ err: error }, whyNot(error as NodeJS.ErrnoException, host, port))
    return undefined
  }
  server.on('error', (error) => log.error({ err: error }, 'MQTT connections cannot be accepted'))
  return { port: (server.address() as AddressInfo).port, close: () => stop(server) }
}

const secured = (socket: Socket, certificate: ServedCertificate): TLSSocket =>
  new TLSSocket(socket, { isServer: true, secureContext: certificate.current().context })

function whyNot({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  const causes: Record<string, string> = {
    EADDRINUSE: 'it is taken. Stop what listens there, or set MUSTER_MQTT_PORT to another port (0 for none)',
    EACCES: 'this user may not use it. Set MUSTER_MQTT_PORT to 1024 or above',
  }
  return `MQTT is not served on port ${port} of ${host}: ${causes[code ?? ''] ?? message}. The WebSocket at /mqtt is served.`
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  await closed
}

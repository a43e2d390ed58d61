import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import type { FastifyBaseLogger } from 'fastify'
import { plainAddress } from '../http/client-address.ts'
import { StartError } from '../start-error.ts'
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
  tls: SecureContext | undefined
  log: FastifyBaseLogger
}

/** Listens for MQTT over TCP, or TLS. Undefined where the port cannot be had: the log says why. */
export async function listenForMqtt(broker: Broker, options: MqttListenerOptions): Promise<MqttListener | undefined> {
  const { host, port, tls, log } = options
  const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }, (socket) => {
    if (socket.remoteAddress === undefined) return void socket.destroy()
    const address = plainAddress(socket.remoteAddress)
    broker.accept(tls === undefined ? socket : new TLSSocket(socket, { isServer: true, secureContext: tls }), address)
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

/** The certificate and key that the settings name; undefined without any. */
export async function readCertificate({
  cert,
  key,
}: {
  cert: string | undefined
  key: string | undefined
}): Promise<SecureContext | undefined> {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined) {
    throw new StartError('MUSTER_MQTT_TLS_CERT and MUSTER_MQTT_TLS_KEY belong together: set both or neither.')
  }
  const pem = {
    cert: await readPem('MUSTER_MQTT_TLS_CERT', cert),
    key: await readPem('MUSTER_MQTT_TLS_KEY', key),
  }
  try {
    // By itself first, so that the file that is wrong can be named.
    createSecureContext({ cert: pem.cert })
  } catch (error) {
    throw new StartError(`MUSTER_MQTT_TLS_CERT names no certificate as PEM: ${cert}.`, { cause: error })
  }
  try {
    return createSecureContext({ ...pem, minVersion: 'TLSv1.2' })
  } catch (error) {
    const cause = (error as Error).message
    throw new StartError(`MUSTER_MQTT_TLS_KEY does not name the certificate's private key as PEM: ${key} (${cause}).`, {
      cause: error,
    })
  }
}

async function readPem(setting: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    throw new StartError(`${setting} cannot be read: ${(error as Error).message}.`, { cause: error })
  }
}

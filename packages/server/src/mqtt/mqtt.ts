import type { Server } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import type { Connections } from '../features/presence/connections.ts'
import { createDeviceReports } from '../features/presence/device-reports.ts'
import { createRefusalLog } from '../http/refusals.ts'
import { clientAddress } from '../lib/client-address.ts'
import { createMetrics, type Metrics } from '../metrics.ts'
import { createRateLimits, type RateLimits } from '../rate-limits/rate-limits.ts'
import type { ServedCertificate } from '../tls/served-certificate.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { createBroker } from './broker.ts'
import { countRefusals, measureMqtt, watchPublications } from './mqtt.metrics.ts'
import { listenForMqtt, type MqttListener } from './tcp.ts'
import { serveWebSocket } from './web-socket.ts'

/** The ways in for devices that hold a connection. */
export interface Mqtt {
  /** The port that MQTT is served on; undefined where there is none. */
  readonly port: number | undefined
  /** Cuts all connections off and takes no more. */
  close(): Promise<void>
}

export interface MqttOptions {
  config: Config
  /** Undefined: the WebSocket alone. 0: any free port. */
  port: number | undefined
  /** Shown on that port, which then speaks TLS only. */
  certificate?: ServedCertificate | undefined
  db: Database
  notifications: Pick<Notifications, 'subscribe'>
  log: FastifyBaseLogger
  metrics?: Metrics | undefined
  tracing?: Tracing | undefined
  connections: Connections
  /** Left away: by the settings, apart from what devices send over HTTP. */
  rateLimits?: RateLimits
  /** The HTTP server that has the WebSocket. */
  server: Server
  /** Called after events were committed. */
  onEvents: () => void
}

/** Serves MQTT over WebSocket and, where there is a port for it, over TCP or TLS. */
export async function serveMqtt(options: MqttOptions): Promise<Mqtt> {
  const { config, port, certificate, db, connections, log, onEvents, metrics = createMetrics() } = options
  const { rateLimits = createRateLimits({ config }) } = options
  const reports = createDeviceReports({ db, connections, storage: rateLimits.storage, onEvents })
  const most = { connections: config.mqttConnections, signingOn: config.mqttSigningOn }
  const refuse = countRefusals(metrics, createRefusalLog(log, 'refused over MQTT'))
  const take = watchPublications(metrics, options.tracing)
  const broker = await createBroker({ ...options, rateLimits, reports, most, refuse, take })
  measureMqtt(metrics, { broker, connections })
  const stopWebSocket = serveWebSocket(options.server, broker, clientAddress(config.trustedProxies))
  let listener: MqttListener | undefined
  if (port !== undefined) listener = await listenForMqtt(broker, { host: config.host, port, certificate, log })

  return {
    port: listener?.port,
    async close() {
      stopWebSocket()
      const stopped = listener?.close()
      await broker.close()
      await stopped
    },
  }
}

import type { Server } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import type { ReadRouter } from '../db/replica/read-router.ts'
import type { Connections } from '../features/presence/connections.ts'
import { createDeviceReports } from '../features/presence/device-reports.ts'
import { createRejectionLog } from '../http/rejection-log.ts'
import { clientAddress } from '../lib/client-address.ts'
import { createMetrics, type Metrics } from '../metrics.ts'
import { createRateLimits, type RateLimits } from '../rate-limits/rate-limits.ts'
import type { ServedCertificate } from '../tls/certificate-watch.ts'
import type { Tracing } from '../tracing/spans.ts'
import { createBroker } from './broker.ts'
import { countRejections, measureMqtt, measurePublications } from './mqtt.metrics.ts'
import { listenForMqtt } from './mqtt-listener.ts'
import { serveWebSocket } from './web-socket.ts'

export interface Mqtt {
  /** Undefined if there is no TCP or TLS listener. */
  readonly port: number | undefined
  close(): Promise<void>
}

export interface MqttOptions {
  config: Config
  /** The TCP or TLS port. 0 selects any free port. If undefined, devices can connect only over WebSocket. */
  port: number | undefined
  /** If set, the port accepts only TLS. */
  certificate?: ServedCertificate | undefined
  db: Database
  /** On a cluster, chooses the worker that stores an account. */
  readRouter?: ReadRouter | undefined
  notifications: Pick<Notifications, 'subscribe'>
  log: FastifyBaseLogger
  metrics?: Metrics | undefined
  tracing?: Tracing | undefined
  connections: Connections
  /** If omitted, the limits are created from the settings and are separate from the HTTP limits. */
  rateLimits?: RateLimits
  server: Server
  onEvents: () => void
}

/** Serves MQTT over WebSocket and, if a port is given and available, over TCP or TLS. */
export async function serveMqtt(options: MqttOptions): Promise<Mqtt> {
  const { config, port, certificate, db, readRouter, connections, log, onEvents, metrics = createMetrics() } = options
  const { rateLimits = createRateLimits({ config }) } = options
  const reports = createDeviceReports({ db, readRouter, connections, storage: rateLimits.storage, onEvents })
  const limits = { connections: config.mqttConnections, unauthenticated: config.mqttSigningOn }
  const logRejection = countRejections(metrics, createRejectionLog(log, 'rejected over MQTT'))
  const measure = measurePublications(metrics, options.tracing)
  const broker = await createBroker({ ...options, rateLimits, reports, limits, logRejection, measure })
  measureMqtt(metrics, { broker, connections })
  const stopWebSocket = serveWebSocket(options.server, broker, clientAddress(config.trustedProxies))
  const listener =
    port === undefined ? undefined : await listenForMqtt(broker, { host: config.host, port, certificate, log })

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

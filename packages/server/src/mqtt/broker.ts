import type { Duplex } from 'node:stream'
import { Aedes, type AuthenticateError, type Client } from 'aedes'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import { type PresentedSecret, watchCutOffs } from '../features/devices/changes/recheck-connected-devices.ts'
import type { Connections } from '../features/presence/connections.ts'
import type { DeviceReports } from '../features/presence/device-reports.ts'
import type { LogRejection } from '../http/rejection-log.ts'
import type { RateLimits } from '../rate-limits/rate-limits.ts'
import { authenticateDevice } from './authenticate-device.ts'
import { createConnectionSlots } from './connection-slots.ts'
import { createThrottle } from './delay-messages.ts'
import { createDisconnectionLog, disconnected } from './disconnection-log.ts'
import type { MeasurePublication } from './mqtt.metrics.ts'
import { guardPackets } from './packet-guard.ts'
import type { Reply } from './publications.ts'
import { createTraffic } from './publish-and-subscribe.ts'
import { createSessions, type Session } from './session-registry.ts'

const AUTHENTICATION_MS = 5_000
const UNAUTHENTICATED_BYTES = 16 * 1024
const PACKET_BYTES = 256 * 1024
/** The maximum number of levels in a topic or filter. Filters may be deeper than the deepest valid topic. */
const TOPIC_LEVELS = 8

export interface Broker {
  /**
   * Accepts a new connection, or closes it if a limit is reached or the broker is closing. Calls `onAuthenticated`
   * after a device authenticates over the connection.
   */
  accept(stream: Duplex, address: string, onAuthenticated?: () => void): void
  readonly size: number
  close(): Promise<void>
}

export interface BrokerOptions {
  db: Database
  notifications: Pick<Notifications, 'subscribe'>
  log: FastifyBaseLogger
  logRejection: LogRejection
  measure: MeasurePublication
  connections: Connections
  reports: DeviceReports
  rateLimits: Pick<RateLimits, 'devices' | 'failures'>
  /** The maximum number of connections, and the maximum number of unauthenticated connections per address. */
  limits: { connections: number; unauthenticated: number }
}

export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const { db, notifications, log, logRejection, measure, connections, reports, rateLimits, limits } = options
  const sessions = createSessions()
  const slots = createConnectionSlots(limits.unauthenticated)
  const deps = { db, failures: rateLimits.failures, logRejection }
  const traffic = createTraffic({
    reports,
    throttle: createThrottle(rateLimits.devices, logRejection),
    logRejection,
    measure,
  })
  const logDisconnection = createDisconnectionLog(log)
  const ended = new WeakMap<object, Session>()
  let isClosing = false

  const aedes = await Aedes.createBroker({
    connectTimeout: AUTHENTICATION_MS,
    maxTopicLevels: TOPIC_LEVELS,
    maxInflightInbound: 20,
    preConnect(client, packet, done) {
      const session = sessions.of(client.conn)
      if (session === undefined) return done(new Error('the connection is closed'), false)
      clearTimeout(session.authenticationTimer)
      // The broker distinguishes client IDs by case, but device IDs are case-insensitive. Every session is clean, so
      // CONNACK reports that the broker retains no session from an earlier connection.
      packet.clientId = packet.clientId.toLowerCase()
      packet.clean = true
      session.will = packet.will
      done(null, true)
    },
    authenticate(client, userName, password, done) {
      const session = sessions.of(client.conn)
      if (session === undefined) return
      authenticateDevice(deps, session, { clientId: client.id, userName, password }).then(
        () => {
          session.guard.authenticated()
          done(null, true)
        },
        (error: AuthenticateError) => done(error, false),
      )
    },
    authorizePublish(client, packet, done) {
      if (client === null) return done()
      // The broker publishes a will only after the device's connection has ended.
      const session = sessions.of(client.conn) ?? ended.get(client.conn)
      traffic
        .publish(session, packet)
        .then((reply) => reply && send(reply))
        .then(
          () => done(),
          (error: Error) => done(error),
        )
    },
    authorizeSubscribe(client, subscription, done) {
      // If this callback receives null, SUBACK reports the failure (MQTT 3.1.1 §3.9.3).
      done(null, traffic.subscribe(sessions.of(client.conn), subscription) ? subscription : null)
    },
  })

  const send = (reply: Reply): void =>
    aedes.publish({ cmd: 'publish', qos: 1, dup: false, retain: false, ...reply }, () => {})

  const end = (session: Session): void => {
    clearTimeout(session.authenticationTimer)
    session.releaseSlot()
    ended.set(session.stream, session)
    if (session.disconnectedFor !== undefined) logDisconnection(session, session.disconnectedFor)
    if (sessions.remove(session)) connections.disconnected(session.device!.deviceId)
  }

  const disconnect = (session: Session, reason: string): void => {
    session.disconnectedFor ??= reason
    session.stream.destroy()
  }

  const cutOff = (session: Session): void => {
    session.isCutOff = true
    // A device that is still authenticating is not disconnected here, because CONNACK rejects it.
    if (session.device !== undefined) disconnect(session, disconnected.cutOff)
  }

  aedes.on('client', (client) => {
    const session = sessions.of(client.conn)
    if (session?.device === undefined) return
    // A device's second connection replaces the first (MQTT-3.1.4-2). The broker has already closed the first
    // connection, whose close event follows.
    const previous = sessions.setDevice(session)
    if (previous !== undefined) disconnect(previous, disconnected.connectedAgain)
  })
  aedes.on('clientReady', (client) => {
    const session = sessions.of(client.conn)
    if (session?.device === undefined) return
    const { device } = session
    session.releaseSlot()
    session.onAuthenticated()
    connections.connected({
      accountId: device.viewer.accountId,
      deviceId: device.deviceId,
      address: session.address,
    })
  })
  aedes.on('unsubscribe', (topics, client) => traffic.unsubscribe(sessions.of(client.conn), topics))
  for (const event of ['clientError', 'connectionError'] as const) {
    aedes.on(event, (client, error) => {
      const session = sessions.of(client.conn) ?? ended.get(client.conn)
      const details = { address: session?.address, device: session?.deviceId }
      const reason = protocolErrorOf(client, error)
      if (reason === undefined) log.debug({ ...details, err: error }, 'an MQTT connection failed')
      else logRejection(reason, details)
    })
  }
  ;(aedes as unknown as NodeJS.EventEmitter).on('error', (error: Error) => {
    log.error({ err: error }, 'internal error in the MQTT broker')
  })

  const unsubscribe = connections.onTakenOver((deviceId) => {
    const session = sessions.ofDevice(deviceId)
    if (session !== undefined) disconnect(session, disconnected.connectedElsewhere)
  })
  const cutOffs = watchCutOffs({
    db,
    notifications,
    log,
    onCutOff: cutOff,
    sessions: {
      all: () => [...sessions.all()].filter(hasSecret),
      ofDevice: (deviceId) => sessions.allOfDevice(deviceId).filter(hasSecret),
    },
  })

  return {
    get size() {
      return sessions.size
    },
    accept(stream, address, onAuthenticated = () => {}) {
      const releaseSlot = isClosing || sessions.size >= limits.connections ? undefined : slots.acquire(address)
      if (releaseSlot === undefined) {
        if (!isClosing) logRejection('too many connections', { address, connections: sessions.size })
        stream.on('error', () => {})
        stream.destroy()
        return
      }
      const reject = (reason: string): void => {
        logRejection(reason, { address, device: session.deviceId })
        stream.destroy()
      }
      const session: Session = {
        stream,
        address,
        guard: guardPackets(stream, { unauthenticated: UNAUTHENTICATED_BYTES, packet: PACKET_BYTES }, reject),
        authenticationTimer: setTimeout(() => reject('authentication timeout'), AUTHENTICATION_MS),
        releaseSlot,
        onAuthenticated,
        topics: new Set(),
        isCutOff: false,
      }
      sessions.add(session)
      stream.once('close', () => end(session))
      aedes.handle(stream)
    },
    async close() {
      isClosing = true
      unsubscribe()
      await cutOffs.close()
      for (const { stream } of [...sessions.all()]) stream.destroy()
      await new Promise<void>((resolve) => aedes.close(() => resolve()))
      for (const session of [...sessions.all()]) end(session)
    },
  }
}

const hasSecret = (session: Session): session is Session & PresentedSecret =>
  session.secretHash !== undefined && !session.isCutOff

/** Returns the reason to log if the broker closed the connection because of its packets. */
function protocolErrorOf(client: Client, error: Error & { errorCode?: number }): string | undefined {
  // This code is the return code in CONNACK (MQTT 3.1.1 §3.2.2.3).
  if (error.errorCode === 1) return 'unsupported protocol version'
  // The first packet was not CONNECT, or a later one was (MQTT-3.1.0-1, MQTT-3.1.0-2).
  if (error.message === 'Invalid protocol') return 'unexpected packet'
  // The broker reports the parser's errors together with the stream's errors.
  const { _parser: parser } = client as unknown as { _parser: { error: Error | null } }
  if (parser.error !== error) return undefined
  return /^Invalid protocol(Id| version)$/.test(error.message) ? 'unsupported protocol version' : 'malformed packet'
}

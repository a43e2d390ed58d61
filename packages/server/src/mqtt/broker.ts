import type { Duplex } from 'node:stream'
import { Aedes, type AuthenticateError } from 'aedes'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import { type ShownSecret, watchCutOffs } from '../features/devices/changes/cut-off.ts'
import type { Connections } from '../features/presence/connections.ts'
import type { DeviceReports } from '../features/presence/device-reports.ts'
import type { LogRefusal } from '../http/refusals.ts'
import type { RateLimits } from '../rate-limits/rate-limits.ts'
import { createDisconnectionLog, disconnected } from './disconnections.ts'
import type { TakePublication } from './mqtt.metrics.ts'
import { createPacing } from './pacing.ts'
import { guardPackets } from './packet-guard.ts'
import type { Answer } from './publications.ts'
import { createSessions, type Session } from './sessions.ts'
import { signOn } from './sign-on.ts'
import { createSignOnPlaces } from './sign-on-places.ts'
import { createTraffic } from './traffic.ts'

const SIGN_ON_MS = 5_000
const BYTES_BEFORE_SIGN_ON = 16 * 1024
const PACKET_BYTES = 256 * 1024
/** Levels of the deepest topic that there is, and some more for filters. */
const TOPIC_LEVELS = 8

/** Carries what devices publish to the features, whichever way they are connected. */
export interface Broker {
  /** Takes a new connection, or closes it. `onSignedOn` is told when a device has signed on by it. */
  accept(stream: Duplex, address: string, onSignedOn?: () => void): void
  /** How many connections there are. */
  readonly size: number
  close(): Promise<void>
}

export interface BrokerOptions {
  db: Database
  notifications: Pick<Notifications, 'subscribe'>
  log: FastifyBaseLogger
  refuse: LogRefusal
  take: TakePublication
  connections: Connections
  reports: DeviceReports
  rateLimits: Pick<RateLimits, 'devices' | 'failures'>
  /** Connections in all, and those of an address that have not signed on. */
  most: { connections: number; signingOn: number }
}

export async function createBroker(options: BrokerOptions): Promise<Broker> {
  const { db, notifications, log, refuse, take, connections, reports, rateLimits, most } = options
  const sessions = createSessions()
  const places = createSignOnPlaces(most.signingOn)
  const deps = { db, failures: rateLimits.failures, refuse }
  const traffic = createTraffic({ reports, pacing: createPacing(rateLimits.devices, refuse), refuse, take })
  const logDisconnection = createDisconnectionLog(log)
  const ended = new WeakMap<object, Session>()
  let isClosing = false

  const aedes = await Aedes.createBroker({
    connectTimeout: SIGN_ON_MS,
    maxTopicLevels: TOPIC_LEVELS,
    maxInflightInbound: 20,
    preConnect(client, packet, done) {
      const session = sessions.of(client.conn)
      if (session === undefined) return done(new Error('closed'), false)
      clearTimeout(session.signOnTimer)
      // Ids are known to the broker in one case. Sessions are not kept across connections, and CONNACK says so.
      packet.clientId = packet.clientId.toLowerCase()
      packet.clean = true
      session.will = packet.will
      done(null, true)
    },
    authenticate(client, userName, password, done) {
      const session = sessions.of(client.conn)
      if (session === undefined) return
      signOn(deps, session, { clientId: client.id, userName, password }).then(
        () => {
          session.guard.signedOn()
          done(null, true)
        },
        (error: AuthenticateError) => done(error, false),
      )
    },
    authorizePublish(client, packet, done) {
      if (client === null) return done()
      // A will comes when its connection has ended.
      const session = sessions.of(client.conn) ?? ended.get(client.conn)
      traffic
        .publish(session, packet)
        .then((answer) => answer && send(answer))
        .then(
          () => done(),
          (error: Error) => done(error),
        )
    },
    authorizeSubscribe(client, subscription, done) {
      // SUBACK says so where it is refused (MQTT 3.1.1 §3.9.3).
      done(null, traffic.subscribe(sessions.of(client.conn), subscription) ? subscription : null)
    },
  })

  const send = (answer: Answer): void =>
    aedes.publish({ cmd: 'publish', qos: 1, dup: false, retain: false, ...answer }, () => {})

  const end = (session: Session): void => {
    clearTimeout(session.signOnTimer)
    session.leavePlace()
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
    // One that is still signing on is told so by the answer.
    if (session.device !== undefined) disconnect(session, disconnected.cutOff)
  }

  aedes.on('client', (client) => {
    const session = sessions.of(client.conn)
    if (session?.device === undefined) return
    // A second sign-on takes over (MQTT-3.1.4-2): the broker has closed the one before, whose end is heard of after this.
    const before = sessions.setDevice(session)
    if (before !== undefined) disconnect(before, disconnected.signedOnAgain)
  })
  aedes.on('clientReady', (client) => {
    const session = sessions.of(client.conn)
    if (session?.device === undefined) return
    const { device } = session
    session.leavePlace()
    session.onSignedOn()
    connections.connected({
      accountId: device.viewer.accountId,
      deviceId: device.deviceId,
      address: session.address,
    })
  })
  aedes.on('unsubscribe', (topics, client) => traffic.unsubscribe(sessions.of(client.conn), topics))
  for (const event of ['clientError', 'connectionError'] as const) {
    aedes.on(event, (client, error) => {
      const session = sessions.of(client.conn)
      log.debug({ err: error, address: session?.address, device: session?.deviceId }, 'an MQTT connection failed')
    })
  }
  ;(aedes as unknown as NodeJS.EventEmitter).on('error', (error: Error) => {
    log.error({ err: error }, 'the MQTT broker failed at something')
  })

  const stopHearing = connections.onTakenOver((deviceId) => {
    const session = sessions.ofDevice(deviceId)
    if (session !== undefined) disconnect(session, disconnected.signedOnElsewhere)
  })
  const cutOffs = watchCutOffs({
    db,
    notifications,
    log,
    onCutOff: cutOff,
    sessions: {
      all: () => [...sessions.all()].filter(isShowingSecret),
      ofDevice: (deviceId) => sessions.allOfDevice(deviceId).filter(isShowingSecret),
    },
  })

  return {
    get size() {
      return sessions.size
    },
    accept(stream, address, onSignedOn = () => {}) {
      const leavePlace = isClosing || sessions.size >= most.connections ? undefined : places.take(address)
      if (leavePlace === undefined) {
        if (!isClosing) refuse('too many connections', { address, connections: sessions.size })
        stream.on('error', () => {})
        stream.destroy()
        return
      }
      const cut = (reason: string): void => {
        refuse(reason, { address, device: session.deviceId })
        stream.destroy()
      }
      const session: Session = {
        stream,
        address,
        guard: guardPackets(stream, { beforeSignOn: BYTES_BEFORE_SIGN_ON, packet: PACKET_BYTES }, cut),
        signOnTimer: setTimeout(() => cut('no sign-on in time'), SIGN_ON_MS),
        leavePlace,
        onSignedOn,
        topics: new Set(),
        isCutOff: false,
      }
      sessions.add(session)
      stream.once('close', () => end(session))
      aedes.handle(stream)
    },
    async close() {
      isClosing = true
      stopHearing()
      await cutOffs.close()
      for (const { stream } of [...sessions.all()]) stream.destroy()
      await new Promise<void>((resolve) => aedes.close(() => resolve()))
      for (const session of [...sessions.all()]) end(session)
    },
  }
}

const isShowingSecret = (session: Session): session is Session & ShownSecret =>
  session.secretHash !== undefined && !session.isCutOff

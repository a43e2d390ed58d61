import type { Duplex } from 'node:stream'
import type { ConnectPacket } from 'aedes'
import type { ReportingDevice } from '../features/presence/device-reports.ts'
import type { PacketGuard } from './packet-guard.ts'

/** A session begins when the server accepts the connection, before the device authenticates. */
export interface Session {
  readonly stream: Duplex
  readonly address: string
  readonly guard: PacketGuard
  /** Closes the connection if the client does not send CONNECT in time. */
  readonly authenticationTimer: NodeJS.Timeout
  /** Releases the connection's slot for unauthenticated connections. */
  readonly releaseSlot: () => void
  readonly onAuthenticated: () => void
  will?: ConnectPacket['will']
  deviceId?: string
  secretHash?: Buffer
  device?: ReportingDevice
  readonly topics: Set<string>
  /**
   * Whether the device has lost its access, for example because its secret was revoked or the device was deleted. The
   * server then rejects all further publications, including the will.
   */
  isCutOff: boolean
  /** The reason (see `disconnected`) why the server disconnected the device. Omitted if there was no such reason. */
  disconnectedFor?: string
}

export interface Sessions {
  readonly size: number
  add(session: Session): void
  of(stream: unknown): Session | undefined
  /** Makes the session the current one of its device. Returns the device's previous session, if any. */
  setDevice(session: Session): Session | undefined
  /** Returns whether the session was the current one of its device. */
  remove(session: Session): boolean
  ofDevice(deviceId: string): Session | undefined
  allOfDevice(deviceId: string): Session[]
  all(): Iterable<Session>
}

export function createSessions(): Sessions {
  const byStream = new Map<unknown, Session>()
  const byDevice = new Map<string, Session>()
  /** Contains sessions whose devices have not authenticated yet. Only a few exist at a time. */
  const authenticating = new Set<Session>()
  return {
    get size() {
      return byStream.size
    },
    add(session) {
      byStream.set(session.stream, session)
      authenticating.add(session)
    },
    of: (stream) => byStream.get(stream),
    setDevice(session) {
      const { deviceId } = session.device!
      const previous = byDevice.get(deviceId)
      byDevice.set(deviceId, session)
      authenticating.delete(session)
      return previous
    },
    remove(session) {
      byStream.delete(session.stream)
      authenticating.delete(session)
      const deviceId = session.device?.deviceId
      if (deviceId === undefined || byDevice.get(deviceId) !== session) return false
      byDevice.delete(deviceId)
      return true
    },
    ofDevice: (deviceId) => byDevice.get(deviceId),
    allOfDevice(deviceId) {
      const current = byDevice.get(deviceId)
      const others = Array.from(authenticating).filter((session) => session.deviceId === deviceId)
      return current === undefined ? others : [current, ...others]
    },
    all: () => byStream.values(),
  }
}

import type { Duplex } from 'node:stream'
import type { ConnectPacket } from 'aedes'
import type { ReportingDevice } from '../features/presence/device-reports.ts'
import type { PacketGuard } from './packet-guard.ts'

/** An MQTT connection, from its first byte. */
export interface Session {
  readonly stream: Duplex
  readonly address: string
  readonly guard: PacketGuard
  /** Closes the connection if it does not authenticate in time. */
  readonly authenticationTimer: NodeJS.Timeout
  /** Releases its slot for unauthenticated connections. */
  readonly releaseSlot: () => void
  /** Called after the device has authenticated. */
  readonly onAuthenticated: () => void
  will?: ConnectPacket['will']
  /** The device that is authenticating, or has authenticated. */
  deviceId?: string
  /** The hash of the secret that the device sent. */
  secretHash?: Buffer
  device?: ReportingDevice
  /** The filters of its subscriptions. */
  readonly topics: Set<string>
  /** Whether its secret is no longer valid. All later publications are rejected, including its will. */
  isCutOff: boolean
  /** Why the server disconnected the authenticated device, if it did. */
  disconnectedFor?: string
}

/** The MQTT connections of this process. */
export interface Sessions {
  readonly size: number
  add(session: Session): void
  of(stream: unknown): Session | undefined
  /** Makes this the connection of its device. Returns the device's previous connection. */
  setDevice(session: Session): Session | undefined
  /** Returns whether this was the current connection of its device. */
  remove(session: Session): boolean
  ofDevice(deviceId: string): Session | undefined
  /** Includes connections that are still authenticating. */
  allOfDevice(deviceId: string): Session[]
  all(): Iterable<Session>
}

export function createSessions(): Sessions {
  const byStream = new Map<unknown, Session>()
  const byDevice = new Map<string, Session>()
  /** Connections that have not authenticated. There are only a few at a time. */
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

import type { Duplex } from 'node:stream'
import type { ConnectPacket } from 'aedes'
import type { ReportingDevice } from '../features/presence/device-reports.ts'
import type { PacketGuard } from './packet-guard.ts'

/** One connection, from its first byte on. */
export interface Session {
  readonly stream: Duplex
  readonly address: string
  readonly guard: PacketGuard
  /** Ends the time for signing on, and gives its place back once it has. */
  readonly signOnTimer: NodeJS.Timeout
  readonly leavePlace: () => void
  /** Told when it has signed on. */
  readonly onSignedOn: () => void
  will?: ConnectPacket['will']
  /** The device that is about to sign on, or has. */
  deviceId?: string
  /** Of the secret that it shows. */
  secretHash?: Buffer
  device?: ReportingDevice
  /** Filters that it is subscribed to. */
  readonly topics: Set<string>
  /** Its secret holds no more: nothing of it is taken any more, its will included. */
  isCutOff: boolean
  /** Why the server disconnects a device that had signed on, where it does. */
  disconnectedFor?: string
}

/** The connections of this process. */
export interface Sessions {
  readonly size: number
  add(session: Session): void
  of(stream: unknown): Session | undefined
  /** It is the device's connection from now on. Returns the one that was. */
  setDevice(session: Session): Session | undefined
  /** True where it was the device's connection. */
  remove(session: Session): boolean
  ofDevice(deviceId: string): Session | undefined
  /** Those about to sign on included. */
  allOfDevice(deviceId: string): Session[]
  all(): Iterable<Session>
}

export function createSessions(): Sessions {
  const byStream = new Map<unknown, Session>()
  const byDevice = new Map<string, Session>()
  /** Few at a time: those between the first byte and the answer. */
  const signingOn = new Set<Session>()
  return {
    get size() {
      return byStream.size
    },
    add(session) {
      byStream.set(session.stream, session)
      signingOn.add(session)
    },
    of: (stream) => byStream.get(stream),
    setDevice(session) {
      const { deviceId } = session.device!
      const before = byDevice.get(deviceId)
      byDevice.set(deviceId, session)
      signingOn.delete(session)
      return before
    },
    remove(session) {
      byStream.delete(session.stream)
      signingOn.delete(session)
      const deviceId = session.device?.deviceId
      if (deviceId === undefined || byDevice.get(deviceId) !== session) return false
      byDevice.delete(deviceId)
      return true
    },
    ofDevice: (deviceId) => byDevice.get(deviceId),
    allOfDevice(deviceId) {
      const signedOn = byDevice.get(deviceId)
      const others = Array.from(signingOn).filter((session) => session.deviceId === deviceId)
      return signedOn === undefined ? others : [signedOn, ...others]
    },
    all: () => byStream.values(),
  }
}

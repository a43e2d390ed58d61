import type { PublishPacket, Subscription } from 'aedes'
import { ApiError } from '../errors.ts'
import type { DeviceReports } from '../features/presence/device-reports.ts'
import { type LogRefusal, withoutInput } from '../http/refusals.ts'
import type { TakePublication } from './mqtt.metrics.ts'
import type { Pacing } from './pacing.ts'
import { type Answer, takePublication } from './publications.ts'
import type { Session } from './sessions.ts'
import { isOwnFilter, readTopic, toldTopic } from './topics.ts'

const SUBSCRIPTIONS = 20

/** What devices say and want to hear once they have signed on. */
export interface Traffic {
  /** Does what a publication says; resolves once it is committed, with what the device is answered. Rejects what is refused. */
  publish(session: Session | undefined, packet: PublishPacket): Promise<Answer | undefined>
  /** Whether the session may have this subscription, which counts until it is ended: once, however often it is asked for. */
  subscribe(session: Session | undefined, subscription: Subscription): boolean
  unsubscribe(session: Session | undefined, topics: readonly string[]): void
}

export interface TrafficDeps {
  reports: DeviceReports
  pacing: Pacing
  refuse: LogRefusal
  take: TakePublication
}

export function createTraffic({ reports, pacing, refuse, take }: TrafficDeps): Traffic {
  return {
    async publish(session, packet) {
      const device = session?.device
      if (session === undefined || device === undefined || session.isCutOff) throw new Error('not signed on')
      packet.retain = false
      const refusePublication = (reason: string, message?: string): void =>
        refuse(reason, {
          device: device.deviceId,
          address: session.address,
          topic: toldTopic(packet.topic),
          ...(message !== undefined && { message }),
        })
      const publication = readTopic(device.deviceId, packet.topic)
      if (publication === undefined) {
        refusePublication('foreign topic')
        throw new Error('foreign topic')
      }
      // Its will comes once, when its connection has ended: there is nothing to read more slowly, and nobody to say it again.
      if (packet !== session.will) await pacing.turn(session, device.deviceId)
      try {
        return await take(publication.kind, () => takePublication(reports, device, publication, packet))
      } catch (error) {
        const isRefused = error instanceof ApiError
        const message = withoutInput((error as Error).message)
        refusePublication(isRefused ? error.code : 'not written', message)
        // By what it throws the connection ends, which is told in the log as well.
        throw isRefused ? new Error(message) : error
      }
    },
    subscribe(session, { topic }) {
      const device = session?.device
      const isOwn = device !== undefined && isOwnFilter(device.deviceId, topic)
      if (session !== undefined && isOwn && (session.topics.has(topic) || session.topics.size < SUBSCRIPTIONS)) {
        session.topics.add(topic)
        return true
      }
      refuse(isOwn ? 'too many subscriptions' : 'foreign topic', {
        device: device?.deviceId,
        address: session?.address,
        topic: toldTopic(topic),
      })
      return false
    },
    unsubscribe(session, topics) {
      for (const topic of topics) session?.topics.delete(topic)
    },
  }
}

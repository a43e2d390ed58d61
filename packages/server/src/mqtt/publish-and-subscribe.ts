import type { PublishPacket, Subscription } from 'aedes'
import { ApiError } from '../errors.ts'
import type { DeviceReports } from '../features/presence/device-reports.ts'
import { type LogRejection, withoutInput } from '../http/rejection-log.ts'
import type { Throttle } from './delay-messages.ts'
import type { MeasurePublication } from './mqtt.metrics.ts'
import { handlePublication, type Reply } from './publications.ts'
import type { Session } from './session-registry.ts'
import { isOwnFilter, readTopic, redactTopic } from './topics.ts'

const MAX_SUBSCRIPTIONS = 20

export interface Traffic {
  /**
   * Resolves to the reply, if any, after the changes are committed. Rejects if the device is not authenticated or has
   * lost its access, or if the connection ends during a delay. Also rejects if the publication is invalid or cannot be
   * written.
   */
  publish(session: Session | undefined, packet: PublishPacket): Promise<Reply | undefined>
  /** Returns whether the device may subscribe. A repeated filter counts once toward `MAX_SUBSCRIPTIONS`. */
  subscribe(session: Session | undefined, subscription: Subscription): boolean
  unsubscribe(session: Session | undefined, topics: readonly string[]): void
}

export interface TrafficDeps {
  reports: DeviceReports
  throttle: Throttle
  logRejection: LogRejection
  measure: MeasurePublication
}

export function createTraffic({ reports, throttle, logRejection, measure }: TrafficDeps): Traffic {
  return {
    async publish(session, packet) {
      const device = session?.device
      if (session === undefined || device === undefined || session.isCutOff)
        throw new Error('the connection is not authenticated, or the device has lost its access')
      packet.retain = false
      const logRejectedPublication = (reason: string, message?: string): void =>
        logRejection(reason, {
          device: device.deviceId,
          address: session.address,
          topic: redactTopic(packet.topic),
          ...(message !== undefined && { message }),
        })
      const publication = readTopic(device.deviceId, packet.topic)
      if (publication === undefined) {
        logRejectedPublication('foreign topic')
        throw new Error('the topic is unknown or belongs to another device')
      }
      // A will is not delayed, because its connection has ended and the device cannot send it again.
      if (packet !== session.will) await throttle.wait(session, device.deviceId)
      try {
        return await measure(publication.kind, () => handlePublication(reports, device, publication, packet))
      } catch (error) {
        const isRejected = error instanceof ApiError
        const message = withoutInput((error as Error).message)
        logRejectedPublication(isRejected ? error.code : 'not written', message)
        // The caller closes the connection and logs this error, which therefore must not contain input.
        throw isRejected ? new Error(message) : error
      }
    },
    subscribe(session, { topic }) {
      const device = session?.device
      const isOwn = device !== undefined && isOwnFilter(device.deviceId, topic)
      if (session !== undefined && isOwn && (session.topics.has(topic) || session.topics.size < MAX_SUBSCRIPTIONS)) {
        session.topics.add(topic)
        return true
      }
      logRejection(isOwn ? 'too many subscriptions' : 'foreign topic', {
        device: device?.deviceId,
        address: session?.address,
        topic: redactTopic(topic),
      })
      return false
    },
    unsubscribe(session, topics) {
      for (const topic of topics) session?.topics.delete(topic)
    },
  }
}

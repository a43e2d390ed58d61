import type { PublishPacket } from 'aedes'
import type { DeviceReports, ReportingDevice } from '../features/presence/device-reports.ts'
import { readObject, readState } from './payload.ts'
import { readServices } from './services-payload.ts'
import { idsTopic, type Publication } from './topics.ts'

export interface Reply {
  topic: string
  payload: string
}

/** Stores what the device reports, and returns the reply, if any. Throws an ApiError if the publication is invalid. */
export async function handlePublication(
  reports: DeviceReports,
  device: ReportingDevice,
  publication: Publication,
  { topic, payload }: Pick<PublishPacket, 'topic' | 'payload'>,
): Promise<Reply | undefined> {
  switch (publication.kind) {
    case 'attributes':
      await reports.attributes(device, publication.targetId, readObject(payload))
      return undefined
    case 'serviceState':
      await reports.serviceState(device, publication.serviceId, readState(payload))
      return undefined
    case 'services': {
      const services = await reports.services(device, readServices(payload))
      return { topic: idsTopic(topic), payload: JSON.stringify(services) }
    }
  }
}

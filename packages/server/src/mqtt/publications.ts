import type { PublishPacket } from 'aedes'
import type { DeviceReports, ReportingDevice } from '../features/presence/device-reports.ts'
import { readObject, readState } from './payload.ts'
import { readServices } from './services-payload.ts'
import { idsTopic, type Publication } from './topics.ts'

/** What the device is answered, on which topic. */
export interface Answer {
  topic: string
  payload: string
}

/** Does what a device says with a publication; resolves once it is committed. An ApiError says why it is refused. */
export async function takePublication(
  reports: DeviceReports,
  device: ReportingDevice,
  publication: Publication,
  { topic, payload }: Pick<PublishPacket, 'topic' | 'payload'>,
): Promise<Answer | undefined> {
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

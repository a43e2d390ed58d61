import { attributesOfDevice } from '../features/attributes/attributes-writer.ts'
import { deviceWriter } from '../features/devices/device-writer.ts'
import { serviceWriter } from '../features/services/list/service-writer.ts'
import { servicesOfDevice } from '../features/services/services-writer.ts'
import type { RowWriters } from '../graphql/written/field-writer.ts'

export const writtenFields: RowWriters = {
  pages: new Set(['DeviceList', 'ServiceList']),
  fields: {
    Device: { ...deviceWriter, attributes: attributesOfDevice, services: servicesOfDevice },
    Service: serviceWriter,
  },
}

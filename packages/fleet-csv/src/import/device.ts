import type { NestedAttributes } from '../csv/device-row.ts'
import type { ServiceFields } from '../csv/device-services.ts'
import { type DeviceFields, fieldNames } from '../fields.ts'

export interface Device extends DeviceFields {
  id: string
  attributes: NestedAttributes
  services: (ServiceFields & { id: string })[]
}

export const deviceSelection = `id ${fieldNames.join(' ')} attributes services { id name application host port enabled }`

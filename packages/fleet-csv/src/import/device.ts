import type { NestedAttributes } from '../csv/device-row.ts'
import type { ServiceFields } from '../csv/device-services.ts'
import { type DeviceFields, fieldNames } from '../fields.ts'

/** A device as the import and the export read it from the API. */
export interface Device extends DeviceFields {
  id: string
  attributes: NestedAttributes
  services: (ServiceFields & { id: string })[]
}

/** The selection for a Device. */
export const deviceSelection = `id ${fieldNames.join(' ')} attributes services { id name application host port enabled }`

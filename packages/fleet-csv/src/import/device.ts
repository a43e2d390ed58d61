import type { NestedAttributes } from '../csv/device-row.ts'
import type { ServiceFields } from '../csv/device-services.ts'

/** A device as the import and the export read it from the API. */
export interface Device {
  id: string
  name: string
  hardwareId: string | null
  platform: string | null
  attributes: NestedAttributes
  services: (ServiceFields & { id: string })[]
}

/** The selection for a Device. */
export const deviceSelection =
  'id name hardwareId platform attributes services { id name application host port enabled }'

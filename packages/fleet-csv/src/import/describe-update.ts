import { attributeColumn } from '../csv/columns.ts'
import { flattenAttributes } from '../csv/device-row.ts'
import { type ApplicationType, type ServiceFields, toServiceEntry } from '../csv/device-services.ts'
import { formatServices } from '../csv/services-cell.ts'
import { fieldNames } from '../fields.ts'
import type { Update } from './match-devices.ts'

export interface Change {
  column: string
  /** The current value, or null if the value is not set. */
  before: string | null
  after: string
}

/** Lists the changes in an update, with column names and values as in a file. */
export function describeUpdate({ device, difference }: Update, types: readonly ApplicationType[]): Change[] {
  const written = (service: ServiceFields): string => formatServices([toServiceEntry(service, types)])
  const present = flattenAttributes(device.attributes)
  const fields = fieldNames.flatMap((column) => {
    const after = difference.fields[column]
    return after === undefined ? [] : [{ column, before: device[column], after }]
  })
  const added = difference.addServices.map((service) => ({ column: 'services', before: null, after: written(service) }))
  const updated = difference.updateServices.flatMap(({ id, ...fields }) => {
    const service = device.services.find((each) => each.id === id)
    return service === undefined
      ? []
      : [{ column: 'services', before: written(service), after: written({ ...service, ...fields }) }]
  })
  const attributes = [...difference.attributes].map(([name, after]) => ({
    column: attributeColumn(name),
    before: present.get(name) ?? null,
    after,
  }))
  return [...fields, ...added, ...updated, ...attributes]
}

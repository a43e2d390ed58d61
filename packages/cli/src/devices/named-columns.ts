import { attributeColumn } from '../attributes/attribute-column.ts'
import type { Column } from '../output/column.ts'
import { type ServiceRow, serviceColumns, serviceFields } from '../services/service-columns.ts'
import { type DeviceRow, deviceColumns, rowFields } from './device-columns.ts'

/** Columns that the lists show only if the user or a view names them. */
const otherDeviceColumns: readonly Column<DeviceRow>[] = [
  { name: 'online', value: ({ state }) => state === 'active' },
  { name: 'owner', value: ({ owner }) => owner?.email },
  { name: 'contexts', value: ({ contexts = [] }) => joined(contexts) },
  { name: 'services', value: ({ services = [] }) => joined(services.map(({ name }) => name)) },
]

const otherServiceColumns: readonly Column<ServiceRow>[] = [
  { name: 'application', value: ({ application }) => application },
  { name: 'title', value: ({ title }) => title },
  { name: 'online', value: ({ state }) => state === 'active' },
  { name: 'contexts', value: ({ contexts = [] }) => joined(contexts) },
]

/** Excludes the columns that are not fields, because `services.type` is the attribute `type` of a service. */
const serviceFieldColumns = [...serviceColumns, ...otherServiceColumns].filter(
  ({ name }) => !['device', 'type', 'deviceId'].includes(name),
)

/** Returns the column of a field or an attribute, such as `owner`, `services.port`, `statusA`, or `site`. */
export function deviceColumn(name: string): Column<DeviceRow> {
  const column = findColumn([...deviceColumns, ...otherDeviceColumns], name)
  if (column !== undefined) return column
  if (/^(category|status)[A-E]$/.test(name)) return { ...attributeColumn(`$svc.${name}`), name }
  if (!name.startsWith('services.')) return attributeColumn(name)
  const ofService = withoutPrefix(name)
  const { value } = findColumn(serviceFieldColumns, ofService) ?? attributeColumn<ServiceRow>(ofService)
  return { name, value: ({ services = [] }) => joined(services.map(value)) }
}

/** Returns the column of a field or an attribute, such as `port`, `device.name`, or `rack`. */
export function serviceColumn(name: string): Column<ServiceRow> {
  const column = findColumn([...serviceColumns, ...otherServiceColumns], name)
  if (column !== undefined) return column
  if (!name.startsWith('device.')) return attributeColumn(name)
  const { value, time = false } = deviceColumn(withoutPrefix(name))
  // The row contains the fields that `selectServiceFields` selects for this column.
  return { name, time, value: ({ device }) => value(device as DeviceRow) }
}

/** Returns the selection of the fields that the columns with these names need. */
export function selectDeviceFields(names: readonly string[], context: string | undefined) {
  const ofServices = names.filter((name) => name.startsWith('services.'))
  const hasAttributes = names.some(
    (name) => !ofServices.includes(name) && findColumn([...deviceColumns, ...otherDeviceColumns], name) === undefined,
  )
  const hasServices = ofServices.length > 0 || names.includes('services')
  return {
    ...rowFields,
    ...(names.includes('owner') && { owner: { email: true } as const }),
    ...(names.includes('contexts') && { contexts: true as const }),
    ...(hasServices && { services: ownServiceFields(ofServices.map(withoutPrefix), context) }),
    ...(hasAttributes && { attributes: attributesIn(context) }),
  }
}

/** Like `selectDeviceFields`. `names` must not contain names of `serviceColumns`. */
export function selectServiceFields(names: readonly string[], context: string | undefined) {
  const ofDevice = names.filter((name) => name.startsWith('device.'))
  const own = names.filter((name) => !ofDevice.includes(name))
  return {
    ...ownServiceFields(own, context),
    device:
      ofDevice.length > 0
        ? selectDeviceFields(ofDevice.map(withoutPrefix), context)
        : ({ id: true, name: true } as const),
  }
}

function ownServiceFields(names: readonly string[], context: string | undefined) {
  const hasAttributes = names.some((name) => findColumn(serviceFieldColumns, name) === undefined)
  return {
    ...serviceFields,
    created: true as const,
    ...(names.includes('contexts') && { contexts: true as const }),
    ...(hasAttributes && { attributes: attributesIn(context) }),
  }
}

const attributesIn = (context: string | undefined) => ({ $: { context } })

const findColumn = <Row>(columns: readonly Column<Row>[], name: string): Column<Row> | undefined =>
  columns.find((column) => column.name === name)

const withoutPrefix = (name: string): string => name.slice(name.indexOf('.') + 1)

/** Joins different values as in the file of "muster export --view". */
const joined = (values: readonly ReturnType<Column<unknown>['value']>[]): string | null =>
  [...new Set(values.filter((value) => value != null))].join(';') || null

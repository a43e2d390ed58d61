import { type AttributeName, splitAttributeName } from '@muster/filter'
import { RESERVED_GROUP } from '../attributes/attribute-name.ts'
import { type Attributes, reservedColumns, splitReserved } from '../attributes/attributes.ts'
import { splitTimes, type ValueTime, type ValueTimes } from '../attributes/target.ts'
import type {
  AttributeChanges,
  DeletedDevice,
  DeletedService,
  DeletedTimes,
  DeviceRows,
  LiveRow,
  OverrideRow,
  PastEvent,
  ServiceLiveRow,
  StoredAttributes,
} from './past-device.ts'

/**
 * Takes a device's rows from immediately after an event. Returns the rows from before the event, or undefined if the
 * device did not exist or was in another account. Modifies the rows in place. Ignores events that only later releases
 * record.
 */
export function rollBack(rows: DeviceRows | undefined, event: PastEvent, deviceId: string): DeviceRows | undefined {
  const isTransfer = event.type === 'DEVICE_TRANSFER'
  const hasLeft = isTransfer && event.data.direction === 'out'
  if (event.type === 'DEVICE_DELETE' || hasLeft) return deletedDevice(event, deviceId)
  if (event.type === 'DEVICE_REGISTER' || isTransfer || rows === undefined) return undefined
  switch (event.type) {
    case 'DEVICE_UPDATE':
      undoFields(rows.device, event, deviceColumns)
      break
    case 'DEVICE_STATE':
      undoState(rows.live, event)
      break
    case 'SERVICE_STATE':
      undoServiceState(rows, event)
      break
    case 'SERVICE_ADD':
      removeService(rows, event.target)
      break
    case 'SERVICE_UPDATE': {
      const service = rows.services.find(({ id }) => id === event.target)
      if (service !== undefined) undoFields(service, event, {})
      break
    }
    case 'SERVICE_REMOVE':
      addService(rows, { ...event.data, ...event.previous, id: event.target } as unknown as DeletedService)
      break
    case 'ATTRIBUTE_CHANGE':
      undoAttributes(rows, event)
      break
  }
  return rows
}

const deviceColumns: Readonly<Record<string, string>> = { hardwareId: 'hardware_id' }

function undoFields(row: object, { data }: PastEvent, columns: Readonly<Record<string, string>>): void {
  const changes = Object.entries((data.changes ?? {}) as Record<string, { old: unknown }>)
  Object.assign(row, Object.fromEntries(changes.map(([field, { old }]) => [columns[field] ?? field, old])))
}

function undoState(row: LiveRow | ServiceLiveRow, { state, previous }: PastEvent): void {
  row.state = state === 'active' ? 'inactive' : 'active'
  row.state_since = (previous?.stateSince as string | undefined) ?? null
  if (previous !== null && 'lastReported' in previous) row.last_reported = previous.lastReported as string | null
}

function undoServiceState(rows: DeviceRows, event: PastEvent): void {
  const { target, previous } = event
  const current = rows.serviceLives.find(({ service_id }) => service_id === target)
  if (current === undefined) return
  if (previous !== null && 'state' in previous && previous.state === null) {
    rows.serviceLives = rows.serviceLives.filter((row) => row !== current)
    return
  }
  undoState(current, event)
}

function removeService(rows: DeviceRows, id: string): void {
  rows.services = rows.services.filter((service) => service.id !== id)
  rows.serviceLives = rows.serviceLives.filter(({ service_id }) => service_id !== id)
  rows.overrides = rows.overrides.filter(({ target_id }) => target_id !== id)
}

function addService(rows: DeviceRows, service: DeletedService): void {
  const { id, name, application, host, port, enabled, created = null, attributes = {} } = service
  const { times = {} } = service
  rows.services.push({ id, name, application, host, port, enabled, created, attributes, attribute_times: times })
  rows.overrides.push(...overrideRows(id, service))
  if (service.state != null)
    rows.serviceLives.push({
      service_id: id,
      state: service.state,
      state_since: service.stateSince ?? null,
      last_reported: service.lastReported,
    })
}

function deletedDevice({ data, previous }: PastEvent, id: string): DeviceRows {
  const { name, hardwareId, platform, attributes = {}, overrides, services = [] } = data as unknown as DeletedDevice
  const {
    created,
    state,
    stateSince,
    lastReported,
    times = {},
    overrideTimes,
    services: timesOfServices,
  } = (previous ?? {}) as PreviousDevice
  const base = splitReserved(attributes as Attributes)
  const { base: baseTimes, reserved: reservedTimes } = splitTimes(times)
  const rows: DeviceRows = {
    device: {
      id,
      name,
      hardware_id: hardwareId,
      platform,
      created: created ?? null,
      attributes: base.attributes as StoredAttributes,
      attribute_times: baseTimes,
    },
    live: {
      state: state ?? 'inactive',
      state_since: stateSince ?? null,
      last_reported: lastReported ?? null,
      attribute_times: reservedTimes,
      ...base.reserved,
    },
    overrides: overrideRows(id, { overrides, overrideTimes }),
    services: [],
    serviceLives: [],
  }
  for (const service of services) addService(rows, { ...service, ...timesOfServices?.[service.id] })
  return rows
}

interface PreviousDevice extends DeletedTimes {
  created?: string | null
  state?: string | null
  stateSince?: string | null
  lastReported?: string | null
  /** The times of the services' values, keyed by service ID. */
  services?: Record<string, DeletedTimes>
}

const overrideRows = (
  id: string,
  {
    overrides = {},
    overrideTimes = {},
  }: { overrides?: Record<string, StoredAttributes> | undefined } & Pick<DeletedTimes, 'overrideTimes'>,
): OverrideRow[] =>
  Object.entries(overrides).map(([context, attributes]) => ({
    target_id: id,
    context,
    attributes,
    attribute_times: overrideTimes[context] ?? {},
  }))

function undoAttributes(rows: DeviceRows, { target, data, previous }: PastEvent): void {
  const context = (data.context ?? null) as string | null
  const times = (previous ?? {}) as ValueTimes
  for (const [text, { old }] of Object.entries((data.changes ?? {}) as AttributeChanges)) {
    const time = old !== null && Object.hasOwn(times, text) ? times[text] : undefined
    const setting = { target, name: splitAttributeName(text), text, value: old, time }
    if (context !== null) setOverride(rows, { ...setting, context })
    else setBase(rows, setting)
  }
}

interface Setting {
  target: string
  name: AttributeName
  /** The name as one string. */
  text: string
  value: string | null
  /** Undefined if the time is unknown or the value is null. */
  time: ValueTime | undefined
}

function setBase(rows: DeviceRows, setting: Setting): void {
  const { target, name, value } = setting
  const { device, live, services } = rows
  if (target !== device.id) {
    const service = services.find(({ id }) => id === target)
    if (service === undefined) return
    setValue(service.attributes, name, value)
    setTime(service, setting)
    return
  }
  const column = name[0] === RESERVED_GROUP && name[1] !== undefined ? reservedColumns.get(name[1]) : undefined
  if (column === undefined) setValue(device.attributes, name, value)
  else live[column] = value
  setTime(column === undefined ? device : live, setting)
}

function setTime(row: { attribute_times?: ValueTimes }, { text, time }: Setting): void {
  row.attribute_times ??= {}
  if (time === undefined) delete row.attribute_times[text]
  else define(row.attribute_times, text, time)
}

function setOverride(rows: DeviceRows, setting: Setting & { context: string }): void {
  const { target, context, name, value } = setting
  let row = rows.overrides.find((one) => one.target_id === target && one.context === context)
  if (row === undefined) {
    if (value === null) return
    row = { target_id: target, context, attributes: {} }
    rows.overrides.push(row)
  }
  setValue(row.attributes, name, value)
  setTime(row, setting)
  if (Object.keys(row.attributes).length === 0) rows.overrides = rows.overrides.filter((one) => one !== row)
}

function setValue(attributes: StoredAttributes, [first, subName]: AttributeName, value: string | null): void {
  if (subName === undefined) {
    if (value === null) delete attributes[first]
    else define(attributes, first, value)
    return
  }
  const found = Object.hasOwn(attributes, first) ? attributes[first] : undefined
  const group = typeof found === 'object' ? found : {}
  if (value === null) delete group[subName]
  else define(group, subName, value)
  if (Object.keys(group).length === 0) delete attributes[first]
  else define(attributes, first, group)
}

/** Sets a property. An assignment to `__proto__` would not create a property. */
const define = (object: object, name: string, value: unknown): void => {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

import { byteLength } from '../byte-length.ts'
import { type DeviceRow, splitName } from '../csv/device-row.ts'
import { type ApplicationType, type ServiceFields, toServiceFields } from '../csv/device-services.ts'
import { fieldLimits, fieldNames } from '../fields.ts'

/** The target state of a device: a row with resolved service types. */
export interface WantedDevice extends Omit<DeviceRow, 'services'> {
  services: ServiceFields[]
  /** Whether at least one service must have no port although its type has a default port. */
  hasPortlessService: boolean
}

/** The server's limits, keyed by their names in `login { limits }`. */
export type Limits = ReadonlyMap<string, number>

/** Resolves the service types. Throws an Error if a type is unknown or the row exceeds a limit of the server. */
export function toWantedDevice(row: DeviceRow, types: readonly ApplicationType[], limits: Limits): WantedDevice {
  const services = row.services.map((entry) => toServiceFields(entry, types))
  const assert = limitCheck(limits)
  for (const name of fieldNames) assert(fieldLimits[name], characters(row[name] ?? ''), `characters in ${name}`)
  assert('servicesPerDevice', services.length, 'services')
  for (const { name, host } of services) {
    assert('serviceNameLength', characters(name), 'characters in the name of a service')
    assert('hostLength', characters(host ?? ''), 'characters in the host of a service')
  }
  assert('namesPerTarget', row.attributes.size, 'attributes')
  for (const [name, value] of row.attributes) {
    const levels = splitName(name).filter((level) => level !== undefined)
    for (const level of levels) assert('nameLength', characters(level), `characters in the attribute name ${level}`)
    assert('valueBytes', byteLength(value), `bytes in the value of ${name}`)
  }
  const usualPorts = new Map(types.map(({ id, port }) => [id, port]))
  const hasPortlessService = services.some(
    ({ application, port }) => port === null && usualPorts.get(application) !== null,
  )
  return { ...row, services, hasPortlessService }
}

function limitCheck(limits: Limits) {
  return (limit: string, found: number, what: string): void => {
    const most = limits.get(limit)
    if (most !== undefined && found > most) throw new Error(`the row has ${found} ${what}, but the limit is ${most}`)
  }
}

/** Counts code points, as the API does. */
const characters = (text: string): number => [...text].length

import { ApiError, notFound } from '../../../errors.ts'
import { emptyObject } from '../../attributes/attributes.ts'
import { newTarget } from '../../attributes/target.ts'
import type { NewDevice } from '../../devices/changes/bulk-registration.queries.ts'
import { assertNewDevice } from '../../devices/changes/bulk-registration.ts'
import { fieldsOfService } from '../../services/services-of-many-devices.ts'
import type { BulkOperation, CsvRow, DeviceChanges } from '../bulk-job.ts'
import { applyOperations } from '../preview/operations.ts'
import type { BulkDevice } from '../preview/read-bulk-devices.ts'
import { setServices } from '../preview/service-operations.ts'
import { nameTaken } from '../preview/taken-identifiers.ts'

export interface RowContext {
  id: string
  operations: readonly BulkOperation[]
  /** Names of reachable devices. A row without a hardware ID cannot register another device with one of these names. */
  namesInUse: ReadonlySet<string>
}

export function planRow(row: CsvRow, device: BulkDevice | undefined, context: RowContext): DeviceChanges {
  const { id, operations, namesInUse } = context
  if (row.error !== undefined) throw new ApiError(row.error.code, row.error.message)
  if (row.isNew === true && device === undefined) {
    if (row.hardwareId === null && namesInUse.has(row.name!)) throw nameTaken(row.name!)
    return { register: planDevice(row, { id, operations }) }
  }
  if (device === undefined) throw notFound('device', row.id ?? row.hardwareId ?? row.name ?? '')
  setServices(device, row.services)
  return applyOperations(device, [...operationsOf(row, device), ...operations])
}

/** Returns the operations that set the row's fields and attributes. Empty cells change nothing. */
function operationsOf(row: CsvRow, { fields }: Pick<BulkDevice, 'fields'>): BulkOperation[] {
  const update: Record<string, string> = {}
  for (const name of ['name', 'hardwareId', 'platform'] as const) {
    const value = row[name]
    if (value !== null && value !== fields[name]) update[name] = literal(value)
  }
  const attributes = literals(row.attributes) as Record<string, unknown>
  return [
    ...(Object.keys(attributes).length === 0 ? [] : [{ setAttributes: { attributes } }]),
    ...(Object.keys(update).length === 0 ? [] : [{ update }]),
  ]
}

/** Escapes opening braces, because a brace in a cell is literal text, not the start of a placeholder. */
const literal = (value: string): string => value.replaceAll('{', '{{')

const literals = (value: unknown): unknown => {
  if (typeof value === 'string') return literal(value)
  return Object.fromEntries(Object.entries(value as object).map(([name, member]) => [name, literals(member)]))
}

/** Returns the device that a row registers, with the operations applied. Throws if an operation or value is invalid. */
export function planDevice(
  row: CsvRow,
  { id, operations }: { id: string; operations: readonly BulkOperation[] },
): NewDevice {
  const { name, hardwareId, platform, services, attributes } = row
  const ofRow = { name: name!, hardwareId, platform, services, attributes }
  const planned = operations.length === 0 ? ofRow : changedBy(operations, ofRow, row, id)
  assertNewDevice(planned)
  return planned
}

function changedBy(operations: readonly BulkOperation[], ofRow: NewDevice, row: CsvRow, id: string): NewDevice {
  const { name, hardwareId, platform, services } = ofRow
  const fields = { name, hardwareId, platform }
  const device: BulkDevice = {
    ...{ id, fields, state: 'inactive', services: [], matches: new Map() },
    target: newTarget({ kind: 'device', id, name, device: { id, name } }, emptyObject(), emptyObject()),
  }
  const { addService = [] } = applyOperations(device, [...operationsOf(row, device), ...operations])
  return { ...fields, services: [...services, ...addService.map(fieldsOfService)], attributes: device.target.base }
}

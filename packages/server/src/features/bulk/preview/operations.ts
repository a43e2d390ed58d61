import { ApiError, badInput, limitExceeded } from '../../../errors.ts'
import { assertName } from '../../../lib/string-checks.ts'
import { limits } from '../../../limits.ts'
import type { Changes } from '../../attributes/apply-changes.ts'
import {
  assertVisibleNames,
  joinAttributeName,
  parseAttributeName,
  parseContext,
} from '../../attributes/attribute-name.ts'
import { type Attributes, emptyObject, overlay, valueAt } from '../../attributes/attributes.ts'
import { assertAllAllowed, type Change, flattenAttributes } from '../../attributes/parse-attributes.ts'
import { applyWrite } from '../../attributes/set-attributes.ts'
import type { Target } from '../../attributes/target.ts'
import { deviceFields, type FieldName } from '../../devices/device.ts'
import { newService, type ServiceInput } from '../../services/new-service.ts'
import type { AttributeChanges, BulkOperation, DeviceChanges } from '../bulk-job.ts'
import type { BulkDevice, BulkService } from './read-bulk-devices.ts'
import { addService, matchingServices, removeServices, serviceChangesOf } from './service-operations.ts'
import { attributeOfPlaceholder, fillTemplate, namesInTemplate, parseTemplate } from './templates.ts'

/** Throws if the operations break a rule that does not depend on a device. */
export function readOperations(
  given: readonly object[],
  { isOptional = false }: { isOptional?: boolean } = {},
): BulkOperation[] {
  if ((given.length < 1 && !isOptional) || given.length > limits.bulkOperations)
    throw badInput(
      `operations must contain ${isOptional ? 0 : 1} to ${limits.bulkOperations} items, found ${given.length}`,
    )
  const operations = given.map((operation, index) => readOperation(operation, `operations[${index}]`))
  if (operations.length > 1 && operations.some((operation) => 'delete' in operation))
    throw badInput('operations: delete must be the only operation')
  assertFewNames(operations)
  assertFewBytes(bytesOfValues(operations.flatMap(valuesOf)), 'operations')
  return operations
}

function valuesOf(operation: BulkOperation): (string | null)[] {
  if ('update' in operation) return Object.values(operation.update)
  if (!('setAttributes' in operation)) return []
  return flattenAttributes(operation.setAttributes.attributes, 'attributes').map(({ value }) => value)
}

function assertFewNames(operations: readonly BulkOperation[]): void {
  const values = operations.flatMap(valuesOf).filter((value) => value !== null)
  const found = values.reduce((count, value) => count + namesInTemplate(value).length, 0)
  if (found <= limits.bulkPlaceholders) return
  throw limitExceeded(`operations may contain at most ${limits.bulkPlaceholders} names in braces, found ${found}`, {
    limit: limits.bulkPlaceholders,
    found,
  })
}

const bytesOfValues = (values: readonly (string | null)[]): number =>
  values.reduce((bytes, value) => bytes + Buffer.byteLength(value ?? ''), 0)

function assertFewBytes(bytes: number, what: string): void {
  if (bytes <= limits.bulkValueBytes) return
  throw limitExceeded(
    `${what} may write at most ${limits.bulkValueBytes} bytes of values to a device, found ${bytes}`,
    { limit: limits.bulkValueBytes, found: bytes },
  )
}

function readOperation(given: object, path: string): BulkOperation {
  const members = Object.entries(given).filter(([, value]) => value != null)
  const [kind, value] = members[0] ?? []
  if (members.length !== 1)
    throw badInput(`${path} must have exactly one field, such as setAttributes, found ${members.length}`)
  if (kind === 'delete') return { delete: { force: (value as { force?: boolean }).force ?? false } }
  if (kind === 'update') return { update: readUpdate(value as object, `${path}.update`) }
  if (kind === 'addService') {
    newService(value as ServiceInput, `${path}.addService.`)
    return { addService: value as ServiceInput }
  }
  if (kind === 'removeService') return { removeService: value as { where: string } }
  return readSetAttributes(value as GivenAttributes, `${path}.setAttributes`)
}

interface GivenAttributes {
  attributes: Record<string, unknown>
  context?: string | null
  services?: string | null
}

function readSetAttributes({ attributes, context, services }: GivenAttributes, path: string): BulkOperation {
  const changes = flattenAttributes(attributes, `${path}.attributes`)
  if (changes.length === 0)
    throw badInput(`${path}.attributes must not be an empty object: pass at least one attribute`)
  for (const { value } of changes) parseTemplate(value ?? '', `${path}.attributes`)
  assertAllAllowed(changes, services == null ? 'device' : 'service', `${path}.attributes`)
  const inContext = parseContext(context, `${path}.context`)
  assertVisibleNames(changes, { context: inContext, path: `${path}.attributes`, contextPath: `${path}.context` })
  return {
    setAttributes: {
      attributes,
      ...(inContext !== undefined && { context: inContext }),
      ...(services != null && { services }),
    },
  }
}

function readUpdate(given: object, path: string) {
  const fields = Object.entries(given).filter(
    ([name, value]) => value !== undefined && !(name === 'name' && value === null),
  )
  if (fields.length === 0) throw badInput(`${path} must have a name, hardwareId, or platform`)
  for (const [name, value] of fields) {
    if (value !== null) assertName(value as string, `${path}.${name}`, limits.valueBytes)
    parseTemplate((value as string | null) ?? '', `${path}.${name}`)
  }
  return Object.fromEntries(fields) as Record<string, string | null>
}

type Changed = Map<string, AttributeChanges>

/**
 * Changes `device` in memory, and returns the changes. Throws the same errors as the mutations that change a single
 * device. Also throws if the new values are too large, or if the device has no value for a name in braces.
 */
export function applyOperations(device: BulkDevice, operations: readonly BulkOperation[]): DeviceChanges {
  const attributes: Changed = new Map()
  const before = { ...device.fields }
  let bytes = 0
  for (const operation of operations) {
    if ('delete' in operation) return deletion(device, operation.delete.force)
    if ('addService' in operation) addService(device, operation.addService)
    else if ('removeService' in operation) removeServices(device, operation)
    else if ('update' in operation) bytes += updateFields(device, operation.update)
    else bytes += setAttributes(device, operation, attributes)
    assertFewBytes(bytes, 'the operations')
  }
  return {
    ...attributeChanges(attributes, device),
    ...fieldChangesOf(before, device.fields),
    ...serviceChangesOf(device.services),
  }
}

function deletion({ id, state, fields }: BulkDevice, force: boolean): DeviceChanges {
  if (state === 'active' && !force)
    throw new ApiError('CONFLICT', `device ${id} is active: pass force to delete it anyway`)
  return { delete: { name: fields.name! } }
}

/** Updates the fields of `device` in memory. Returns the size, in bytes, of the new values. */
function updateFields(device: BulkDevice, update: Partial<Record<FieldName, string | null>>): number {
  const readValue = valuesIn(device, undefined)
  let bytes = 0
  for (const [name, template] of Object.entries(update) as [FieldName, string | null][]) {
    const value = template === null ? null : fillTemplate(template, name, readValue)
    if (value !== null) assertName(value, name, deviceFields[name].maxLength)
    device.fields[name] = value
    bytes += Buffer.byteLength(value ?? '')
  }
  return bytes
}

/**
 * Sets attributes of `device` or of its matching services in memory, and adds the changes to `changed`. Returns the
 * size, in bytes, of the new values.
 */
function setAttributes(
  device: BulkDevice,
  operation: Extract<BulkOperation, { setAttributes: unknown }>,
  changed: Changed,
): number {
  const { attributes, context, services } = operation.setAttributes
  const inContext = context ?? undefined
  const readValue = valuesIn(device, inContext)
  const changes = flattenAttributes(attributes, 'attributes').map(({ name, value }) => ({
    name,
    value: value === null ? null : fillTemplate(value, `attributes.${joinAttributeName(name)}`, readValue),
  }))
  const matching: (BulkService | undefined)[] =
    services === undefined ? [undefined] : matchingServices(device, operation)
  const bytes = bytesOfValues(changes.map(({ value }) => value)) * matching.length
  assertFewBytes(bytes, 'the operations')
  for (const service of matching) {
    const target = service?.target ?? device.target
    const found = applyWrite(target, { targetId: target.id, context: inContext, path: 'attributes', changes })
    const key = `${target.id} ${inContext ?? ''}`
    const all = changed.get(key)?.changes ?? emptyObject()
    for (const [name, change] of Object.entries(found)) all[name] = { old: (all[name] ?? change).old, new: change.new }
    const ofService = service && { service: { id: service.id, name: service.target.name } }
    changed.set(key, { context: inContext ?? null, ...ofService, changes: all })
  }
  return bytes
}

function attributeChanges(changed: Changed, { services }: BulkDevice): DeviceChanges {
  const removed = new Set(services.flatMap(({ id, fields }) => (fields === undefined ? [id] : [])))
  const all = [...changed.values()].map(({ changes, ...place }) => ({
    ...place,
    changes: Object.fromEntries(Object.entries(changes).filter(([, change]) => change.old !== change.new)),
  }))
  const found = all.filter(
    ({ service, changes }) => Object.keys(changes).length > 0 && (service === undefined || !removed.has(service.id)),
  )
  return found.length === 0 ? {} : { setAttributes: found }
}

function fieldChangesOf(before: BulkDevice['fields'], after: BulkDevice['fields']): DeviceChanges {
  const names = (Object.keys(after) as FieldName[]).filter((name) => before[name] !== after[name])
  if (names.length === 0) return {}
  return { update: Object.fromEntries(names.map((name) => [name, { old: before[name], new: after[name] }])) }
}

export const isEmpty = (changes: DeviceChanges): boolean => Object.keys(changes).length === 0

/**
 * Applies changes to a device or service in memory: first the removals in all contexts, and then the values. A name is
 * either a value in all contexts or a group in all contexts. A value can therefore replace a group only after the group
 * has been removed from all contexts.
 */
export function applyContextChanges(
  target: Target,
  all: readonly Pick<AttributeChanges, 'context' | 'changes'>[],
): { context: string | undefined; changes: Changes }[] {
  const applied = all.map(({ context }) => ({ context: context ?? undefined, changes: emptyObject() as Changes }))
  for (const isRemoval of [true, false]) {
    for (const [index, { changes }] of all.entries()) {
      const writes = writesOf(changes).filter(({ value }) => (value === null) === isRemoval)
      if (writes.length === 0) continue
      const { context, changes: found } = applied[index]!
      Object.assign(found, applyWrite(target, { targetId: target.id, context, path: 'attributes', changes: writes }))
    }
  }
  return applied.filter(({ changes }) => Object.keys(changes).length > 0)
}

const writesOf = (changes: Changes): Change[] =>
  Object.entries(changes).map(([name, change]) => ({ name: parseAttributeName(name, 'attributes'), value: change.new }))

/** Returns a function that reads the device's values. It merges the context's attributes once, when first needed. */
function valuesIn({ id, fields, target }: BulkDevice, context: string | undefined): (name: string) => string | null {
  let effective: Attributes | undefined
  return (name) => {
    if (name === 'id') return id
    if (Object.hasOwn(fields, name)) return fields[name as FieldName]
    effective ??= overlay(target.base, context === undefined ? undefined : target.overrides.get(context))
    return valueAt(effective, attributeOfPlaceholder(name))
  }
}

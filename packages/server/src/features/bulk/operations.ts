import { ApiError, badInput } from '../../errors.ts'
import { assertName } from '../../lib/text.ts'
import { limits } from '../../limits.ts'
import { type Change, type Changes, flattenAttributes } from '../attributes/apply-changes.ts'
import {
  assertVisibleNames,
  joinAttributeName,
  parseAttributeName,
  parseContext,
} from '../attributes/attribute-name.ts'
import { type Attributes, valueAt } from '../attributes/attributes.ts'
import { overlay } from '../attributes/overlay.ts'
import { applyWrite } from '../attributes/set-attributes.ts'
import type { Target } from '../attributes/target.ts'
import { deviceFields, type FieldName, type State } from '../devices/device.ts'
import type { BulkOperation, DeviceChanges } from './bulk-job.ts'

/** A device with all data that operations read and write. */
export interface BulkDevice {
  id: string
  fields: Record<FieldName, string | null>
  state: State
  target: Target
}

/** Checks the operations without a device, so that mistakes are errors of the request. */
export function readOperations(given: readonly object[]): BulkOperation[] {
  if (given.length < 1 || given.length > limits.bulkOperations)
    throw badInput(`operations must have 1 to ${limits.bulkOperations} operations, found ${given.length}`)
  const operations = given.map((operation, index) => readOperation(operation, `operations[${index}]`))
  if (operations.length > 1 && operations.some((operation) => 'delete' in operation))
    throw badInput('operations: delete must be the only operation')
  return operations
}

function readOperation(given: object, path: string): BulkOperation {
  const members = Object.entries(given).filter(([, value]) => value != null)
  const [kind, value] = members[0] ?? []
  if (members.length !== 1) throw badInput(`${path} must have exactly one member, found ${members.length}`)
  if (kind === 'delete') return { delete: { force: (value as { force?: boolean }).force ?? false } }
  if (kind === 'update') return { update: readUpdate(value as object, `${path}.update`) }
  const { attributes, context } = value as { attributes: Record<string, unknown>; context?: string | null }
  const changes = flattenAttributes(attributes, `${path}.setAttributes.attributes`)
  if (changes.length === 0) throw badInput(`${path}.setAttributes.attributes must not be an empty object`)
  for (const change of changes) parseTemplate(change.value, `${path}.setAttributes.attributes`)
  const inContext = parseContext(context, `${path}.setAttributes.context`)
  assertVisibleNames(changes, { context: inContext, path: `${path}.setAttributes.attributes` })
  return { setAttributes: { attributes, ...(inContext !== undefined && { context: inContext }) } }
}

function readUpdate(given: object, path: string) {
  const fields = Object.entries(given).filter(
    ([name, value]) => value !== undefined && !(name === 'name' && value === null),
  )
  if (fields.length === 0) throw badInput(`${path} must have a name, hardwareId, or platform`)
  for (const [name, value] of fields) {
    if (value !== null) assertName(value as string, `${path}.${name}`, limits.valueBytes)
    parseTemplate(value as string | null, `${path}.${name}`)
  }
  return Object.fromEntries(fields) as Record<string, string | null>
}

/** Applies the operations to a device in memory. Throws the same errors as the mutation for a single device. */
export function applyOperations(device: BulkDevice, operations: readonly BulkOperation[]): DeviceChanges {
  const attributes = new Map<string, Changes>()
  const before = { ...device.fields }
  for (const operation of operations) {
    if ('delete' in operation) return deletion(device, operation.delete.force)
    if ('update' in operation) updateFields(device, operation.update)
    else setAttributes(device, operation.setAttributes, attributes)
  }
  return { ...attributeChanges(attributes), ...fieldChangesOf(before, device.fields) }
}

function deletion({ id, state, fields }: BulkDevice, force: boolean): DeviceChanges {
  if (state === 'active' && !force)
    throw new ApiError('CONFLICT', `device ${id} is active: pass force: true to delete it anyway`)
  return { delete: { name: fields.name! } }
}

function updateFields(device: BulkDevice, update: Partial<Record<FieldName, string | null>>): void {
  for (const [name, template] of Object.entries(update) as [FieldName, string | null][]) {
    const value = template === null ? null : fill(template, device, undefined, name)
    if (value !== null) assertName(value, name, deviceFields[name].maxLength)
    device.fields[name] = value
  }
}

function setAttributes(
  device: BulkDevice,
  { attributes, context }: { attributes: Record<string, unknown>; context?: string | null },
  changed: Map<string, Changes>,
): void {
  const inContext = context ?? undefined
  const changes = flattenAttributes(attributes, 'attributes').map(({ name, value }) => ({
    name,
    value: value === null ? null : fill(value, device, inContext, `attributes.${joinAttributeName(name)}`),
  }))
  const found = applyWrite(device.target, { targetId: device.id, context: inContext, path: 'attributes', changes })
  const all = changed.get(inContext ?? '') ?? {}
  for (const [name, change] of Object.entries(found)) all[name] = { old: (all[name] ?? change).old, new: change.new }
  changed.set(inContext ?? '', all)
}

function attributeChanges(changed: ReadonlyMap<string, Changes>): DeviceChanges {
  const all = [...changed].map(([context, changes]) => ({
    context: context === '' ? null : context,
    changes: Object.fromEntries(Object.entries(changes).filter(([, change]) => change.old !== change.new)),
  }))
  const found = all.filter(({ changes }) => Object.keys(changes).length > 0)
  return found.length === 0 ? {} : { setAttributes: found }
}

function fieldChangesOf(before: BulkDevice['fields'], after: BulkDevice['fields']): DeviceChanges {
  const names = (Object.keys(after) as FieldName[]).filter((name) => before[name] !== after[name])
  if (names.length === 0) return {}
  return { update: Object.fromEntries(names.map((name) => [name, { old: before[name], new: after[name] }])) }
}

export const isEmpty = (changes: DeviceChanges): boolean => Object.keys(changes).length === 0

/** Returns the changes of a context as two writes: removals first, so that a value can replace a group. */
export function writesOf(changes: Changes): Change[][] {
  const all = Object.entries(changes).map(([name, change]) => ({
    name: parseAttributeName(name, 'attributes'),
    value: change.new,
  }))
  return [all.filter(({ value }) => value === null), all.filter(({ value }) => value !== null)].filter(
    (writes) => writes.length > 0,
  )
}

/** The parts of a value: literal text, and names in braces. */
function parseTemplate(value: string | null, path: string): (string | { name: string })[] {
  const parts: (string | { name: string })[] = []
  for (const [, braces, name, text] of (value ?? '').matchAll(/(\{\{)|\{([^{}]+)\}|([^{]+|\{)/gs)) {
    if (braces !== undefined) parts.push('{')
    else if (name !== undefined) parts.push({ name })
    else if (text === '{')
      throw badInput(`${path}: { must begin a name in braces, such as {name}; for a literal brace write {{`)
    else parts.push(text!)
  }
  return parts
}

function fill(template: string, device: BulkDevice, context: string | undefined, path: string): string {
  return parseTemplate(template, path)
    .map((part) => {
      if (typeof part === 'string') return part
      const value = valueFor(part.name, device, context)
      if (value === null) throw badInput(`${path}: the device has no value for {${part.name}}`)
      return value
    })
    .join('')
}

function valueFor(name: string, { id, fields, target }: BulkDevice, context: string | undefined): string | null {
  if (name === 'id') return id
  if (Object.hasOwn(fields, name)) return fields[name as FieldName]
  const attribute = name.startsWith('attributes.') ? name.slice('attributes.'.length) : name
  const effective: Attributes = overlay(target.base, context === undefined ? undefined : target.overrides.get(context))
  return valueAt(effective, parseAttributeName(attribute, 'a name in braces'))
}

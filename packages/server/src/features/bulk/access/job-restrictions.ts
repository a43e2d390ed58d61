import type { Viewer } from '../../../viewer.ts'
import { assertReadable, assertWritable } from '../../attributes/attribute-access.ts'
import { parseAttributeName } from '../../attributes/attribute-name.ts'
import { flattenAttributes } from '../../attributes/parse-attributes.ts'
import { deviceFields } from '../../devices/device.ts'
import {
  assertMayChangeAttributes,
  assertMayChangeFields,
  assertMayChangeServices,
} from '../../restrictions/assert-may-change.ts'
import type { BulkJob, BulkOperation, DeviceChanges } from '../bulk-job.ts'
import { attributeOfPlaceholder, namesInTemplate } from '../preview/templates.ts'

type Restricted = Pick<Viewer, 'restriction' | 'reach'>

/**
 * Throws FORBIDDEN if the viewer's restriction forbids an operation or a column for all devices. The rules that depend
 * on the device are in `assertMayChangeDevice`.
 */
export function assertMayRequest(
  viewer: Restricted,
  { operations, target }: Pick<BulkJob, 'operations' | 'target'>,
): void {
  if (viewer.restriction === undefined) return
  for (const operation of operations) assertMayApply(viewer, operation)
  if (!('csv' in target) || target.csv === undefined) return
  for (const column of target.csv.columns) {
    if (column.startsWith('attributes.'))
      assertWritable(viewer, { name: parseAttributeName(column.slice('attributes.'.length), `the column ${column}`) })
  }
}

function assertMayApply(viewer: Restricted, operation: BulkOperation): void {
  if ('addService' in operation || 'removeService' in operation) assertMayChangeServices(viewer)
  if ('update' in operation) {
    assertMayChangeFields(viewer, Object.keys(operation.update))
    assertReadsTemplates(viewer, Object.values(operation.update))
  }
  if (!('setAttributes' in operation)) return
  const { attributes, context, services } = operation.setAttributes
  const changes = flattenAttributes(attributes, 'attributes')
  const names = changes.map(({ name }) => name)
  const kind = services === undefined ? 'device' : 'service'
  assertMayChangeAttributes(viewer, { kind, context: context ?? undefined, names })
  for (const name of names) assertWritable(viewer, { name })
  const templates = changes.map(({ value }) => value)
  assertReadsTemplates(viewer, templates)
}

/** Throws FORBIDDEN if a value contains, in braces, the name of an attribute that the caller cannot read. */
function assertReadsTemplates(viewer: Restricted, templates: readonly (string | null)[]): void {
  const names = templates.flatMap((template) => (template === null ? [] : namesInTemplate(template)))
  for (const name of names) {
    if (name !== 'id' && !Object.hasOwn(deviceFields, name)) assertReadable(viewer, attributeOfPlaceholder(name))
  }
}

export function assertMayChangeDevice(viewer: Restricted, changes: DeviceChanges): void {
  if (viewer.restriction === undefined) return
  const { setAttributes = [], update = {}, addService, updateService, removeService, register } = changes
  for (const { context, service, changes: ofTarget } of setAttributes) {
    const names = Object.keys(ofTarget).map((name) => parseAttributeName(name, 'attributes'))
    const kind = service === undefined ? 'device' : 'service'
    assertMayChangeAttributes(viewer, { kind, context: context ?? undefined, names })
    for (const name of names) assertWritable(viewer, { name })
  }
  assertMayChangeFields(viewer, Object.keys(update))
  if ([addService, updateService, removeService].some((services) => services !== undefined))
    assertMayChangeServices(viewer)
  const initial = register === undefined ? [] : flattenAttributes(register.attributes, 'attributes')
  for (const { name } of initial) assertWritable(viewer, { name })
}

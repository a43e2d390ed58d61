import { isDeepStrictEqual } from 'node:util'
import type { Changes } from '../../attributes/apply-changes.ts'
import { joinAttributeName, parseAttributeName } from '../../attributes/attribute-name.ts'
import { type Attributes, emptyObject, valueAt } from '../../attributes/attributes.ts'
import { flattenAttributes } from '../../attributes/parse-attributes.ts'
import { attributesIn, type Target } from '../../attributes/target.ts'
import type { NewDevice } from '../../devices/changes/bulk-registration.queries.ts'
import type { FieldName } from '../../devices/device.ts'
import { newId } from '../../devices/device-id.ts'
import { assertFewServices, fieldsOfService } from '../../services/services-of-many-devices.ts'
import type { EarlierChanges } from '../bulk-items.queries.ts'
import type { AttributeChanges, DeviceChanges, RemovedService } from '../bulk-job.ts'
import { applyContextChanges } from './operations.ts'
import { emptyPlan, type Plan, planOf } from './plan.ts'
import type { BulkDevice } from './read-bulk-devices.ts'

/** `isPartial` is true if a change cannot be reverted, for example because the value has changed again. */
interface Reverted {
  changes: DeviceChanges
  isPartial: boolean
}

export const concernsServices = ({
  setAttributes = [],
  addService,
  updateService,
  removeService,
}: DeviceChanges): boolean =>
  [addService, updateService, removeService].some((changes) => changes !== undefined) ||
  setAttributes.some(({ service }) => service !== undefined)

/**
 * Plans the undo of a job's changes to a device. Reverts a value only if it still equals the value that the job wrote.
 * If a change cannot be reverted, the plan has the reason CHANGED_SINCE. If no change can be reverted, the plan also
 * skips the device.
 */
export function planUndo(
  device: BulkDevice,
  { changes: done, isRestored }: EarlierChanges,
  isUntouched: boolean,
): Plan {
  if (done.register !== undefined) return planRemoval(device, done.register, isUntouched)
  const services = revertServices(device, done, isRestored)
  const removed = new Set(services.changes.removeService?.map(({ id }) => id))
  const attributes = revertAttributes(device, done, removed)
  const fields = Object.entries(done.update ?? {}).filter(
    ([name, change]) => device.fields[name as FieldName] === change.new,
  )
  const setAttributes = [...(attributes.changes.setAttributes ?? []), ...(services.changes.setAttributes ?? [])]
  const plan = planOf(device.id, {
    ...services.changes,
    ...(setAttributes.length > 0 && { setAttributes }),
    ...(fields.length > 0 && {
      update: Object.fromEntries(fields.map(([name, change]) => [name, { old: change.new, new: change.old }])),
    }),
  })
  const isPartial = services.isPartial || attributes.isPartial || fields.length < Object.keys(done.update ?? {}).length
  if (!isPartial) return plan
  return { ...plan, reason: 'CHANGED_SINCE', ...(plan.outcome === 'UNCHANGED' && { status: 'SKIPPED' }) }
}

function revertAttributes(
  device: BulkDevice,
  { setAttributes = [] }: DeviceChanges,
  removed: ReadonlySet<string>,
): Reverted {
  let isPartial = false
  const reverted: AttributeChanges[] = []
  for (const { changes, ...place } of setAttributes) {
    const { service } = place
    if (service !== undefined && removed.has(service.id)) continue
    const target = service === undefined ? device.target : device.services.find(({ id }) => id === service.id)?.target
    if (target === undefined) {
      isPartial = true
      continue
    }
    const back = revertNames(target, place.context, changes)
    if (Object.keys(back).length < Object.keys(changes).length) isPartial = true
    if (Object.keys(back).length > 0) reverted.push({ ...place, changes: back })
  }
  for (const [id, ofTarget] of Map.groupBy(reverted, ({ service }) => service?.id)) {
    const service = device.services.find((each) => each.id === id)
    applyContextChanges(service?.target ?? device.target, ofTarget)
  }
  return { changes: reverted.length === 0 ? {} : { setAttributes: reverted }, isPartial }
}

function revertNames(target: Target, context: string | null, changes: Changes): Changes {
  const present = attributesIn(target, context ?? undefined)
  const back: Changes = emptyObject()
  for (const [name, change] of Object.entries(changes)) {
    if (valueAt(present, parseAttributeName(name, 'name')) === change.new)
      back[name] = { old: change.new, new: change.old }
  }
  return back
}

/**
 * Plans the undo of changes to services: removes added services, resets updated fields, and adds removed services again
 * with new IDs. Keeps an added service if one of its fields has changed since, and keeps an updated field that has
 * changed since. Adds no services if an earlier undo has already added them (`isRestored`). Throws LIMIT_EXCEEDED if
 * the device would have too many services.
 */
function revertServices(
  device: BulkDevice,
  { addService = [], updateService = [], removeService = [] }: DeviceChanges,
  isRestored: boolean,
): Reverted {
  const present = new Map(device.services.map((service) => [service.id, service]))
  const removed = addService.flatMap((service) => {
    const found = present.get(service.id)
    return found?.before !== undefined && isDeepStrictEqual(found.fields, fieldsOfService(service))
      ? [found.before]
      : []
  })
  const updated = updateService.flatMap(({ id, changes }) => {
    const found = present.get(id)
    if (found?.fields === undefined) return []
    const { fields } = found
    const same = Object.entries(changes).filter(([name, change]) => fields[name as keyof typeof fields] === change.new)
    const back = same.map(([name, change]) => [name, { old: change.new, new: change.old }] as const)
    return same.length === 0 ? [] : [{ id, name: fields.name, changes: Object.fromEntries(back) }]
  })
  const restored = isRestored ? [] : removeService.map((service) => ({ service, id: newId() }))
  assertFewServices(device.services.length - removed.length + restored.length)
  const added = restored.map(({ service, id }) => ({ id, ...fieldsOfService(service) }))
  const setAttributes = restored.flatMap(({ service, id }) => attributesOf(service, id))
  const names = (all: readonly { changes: object }[]): number =>
    all.reduce((count, { changes }) => count + Object.keys(changes).length, 0)
  return {
    changes: {
      ...(added.length > 0 && { addService: added }),
      ...(updated.length > 0 && { updateService: updated }),
      ...(removed.length > 0 && { removeService: removed }),
      ...(setAttributes.length > 0 && { setAttributes }),
    },
    isPartial:
      removed.length < addService.length ||
      restored.length < removeService.length ||
      names(updated) < names(updateService),
  }
}

function attributesOf({ name, attributes, overrides }: RemovedService, id: string): AttributeChanges[] {
  const all: [string | null, Record<string, unknown>][] = [[null, attributes], ...Object.entries(overrides)]
  return all.flatMap(([context, values]) => {
    const changes: Changes = emptyObject()
    for (const each of flattenAttributes(values, 'attributes'))
      changes[joinAttributeName(each.name)] = { old: null, new: each.value }
    return Object.keys(changes).length === 0 ? [] : [{ context, service: { id, name }, changes }]
  })
}

/**
 * Plans to delete a device that the undone job registered, if the device has neither connected nor changed since.
 * Otherwise, plans to skip the device.
 */
function planRemoval(device: BulkDevice, register: NewDevice, isUntouched: boolean): Plan {
  const { name, hardwareId, platform, attributes } = register
  const isSame =
    isUntouched &&
    isDeepStrictEqual(device.fields, { name, hardwareId, platform }) &&
    JSON.stringify(sorted(device.target.base)) === JSON.stringify(sorted(attributes as Attributes))
  if (isSame) return planOf(device.id, { delete: { name } })
  return { ...emptyPlan(device.id), status: 'SKIPPED', reason: 'CHANGED_SINCE' }
}

const sorted = (attributes: Attributes): unknown =>
  Object.entries(attributes)
    .map(([name, value]) => [name, typeof value === 'string' ? value : Object.entries(value).sort()])
    .sort()

import { parseAttributeName } from '../../attributes/attribute-name.ts'
import { valueAt } from '../../attributes/attributes.ts'
import { attributesIn, type Target } from '../../attributes/target.ts'
import type { FieldName } from '../../devices/device.ts'
import type { FieldsRow } from '../bulk-items.queries.ts'
import type { AttributeChanges, BulkSkipReason } from '../bulk-job.ts'
import type { BulkService } from '../preview/read-bulk-devices.ts'
import { hasOldServices } from './apply-planned-services.ts'
import type { PendingItem } from './pending.queries.ts'

export interface LockedBulkDevice {
  fields: FieldsRow
  /** Undefined for a device that is about to be deleted. */
  target: Target | undefined
  /** The device's services, or an empty list if the changes do not concern services. */
  services: BulkService[]
}

/**
 * Returns undefined if the job may change the device: the device was found, matches the filter, and still has the old
 * values of the changes.
 */
export function reasonToSkip(
  { changes }: PendingItem,
  device: LockedBulkDevice | undefined,
  { isMatching, isCsv }: { isMatching: boolean; isCsv: boolean },
): BulkSkipReason | undefined {
  if (device === undefined) return 'GONE'
  if (!isMatching) return 'NO_LONGER_MATCHES'
  const { fields, services } = device
  const { update = {}, setAttributes = [], addService = [] } = changes
  const added = new Set(addService.map(({ id }) => id))
  const hasOldFields = Object.entries(update).every(([name, { old }]) => fields[name as FieldName] === old)
  const hasOldValues = setAttributes.every((each) => {
    if (each.service !== undefined && added.has(each.service.id)) return true
    const target = targetOf(device, each)
    if (target === undefined) return false
    const present = attributesIn(target, each.context ?? undefined)
    return Object.entries(each.changes).every(
      ([name, { old }]) => valueAt(present, parseAttributeName(name, 'name')) === old,
    )
  })
  return hasOldFields && hasOldValues && hasOldServices(changes, services, { isCsv }) ? undefined : 'CHANGED_SINCE'
}

export const targetOf = ({ target, services }: LockedBulkDevice, { service }: AttributeChanges): Target | undefined =>
  service === undefined ? target : services.find(({ id }) => id === service.id)?.target

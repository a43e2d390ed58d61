import { assertNoValueIsGroup, flattenAttributes } from '../csv/device-row.ts'
import type { ServiceFields } from '../csv/device-services.ts'
import { type FieldName, fieldNames } from '../fields.ts'
import type { Device } from './device.ts'
import { pairByContent } from './pair-by-content.ts'
import type { WantedDevice } from './validate-row.ts'

/** The changes that a row makes to a device. Values that are not in the row remain unchanged. */
export interface Difference {
  fields: Partial<Record<FieldName, string>>
  addServices: ServiceFields[]
  updateServices: (Partial<ServiceFields> & { id: string })[]
  attributes: Map<string, string>
}

/**
 * Returns the changes. Throws an Error if several services of the row or the device have the name of a service to
 * change. Also throws an Error if the device would have an attribute and a group with the same name.
 */
export function findDifference(wanted: WantedDevice, device: Device): Difference {
  const present = flattenAttributes(device.attributes)
  assertNoValueIsGroup(new Map([...present, ...wanted.attributes]))
  return {
    fields: changedFields(wanted, device),
    ...serviceDifference(wanted.services, device.services),
    attributes: new Map([...wanted.attributes].filter(([name, value]) => present.get(name) !== value)),
  }
}

export function isEmpty({ fields, addServices, updateServices, attributes }: Difference): boolean {
  return Object.keys(fields).length + addServices.length + updateServices.length + attributes.size === 0
}

function changedFields(wanted: WantedDevice, device: Device): Difference['fields'] {
  const changed = fieldNames.filter((name) => wanted[name] !== null && wanted[name] !== device[name])
  return Object.fromEntries(changed.map((name) => [name, wanted[name]]))
}

function serviceDifference(wanted: readonly ServiceFields[], present: Device['services']) {
  const byName = Map.groupBy(present, ({ name }) => name)
  const addServices: ServiceFields[] = []
  const updateServices: Difference['updateServices'] = []
  for (const [name, ofName] of Map.groupBy(wanted, ({ name }) => name)) {
    const pairs = pairByContent(ofName, byName.get(name) ?? [], isSameService)
    if (pairs.ambiguous.length > 0)
      throw new Error(
        `services: the row or the device has several services with the name ${JSON.stringify(name)}. Give each of them a different name`,
      )
    addServices.push(...pairs.added)
    updateServices.push(
      ...pairs.changed.map(([service, before]) => ({ id: before.id, ...changedService(service, before) })),
    )
  }
  return { addServices, updateServices }
}

const serviceFields = ['application', 'host', 'port', 'enabled'] as const

const isSameService = (one: ServiceFields, other: ServiceFields): boolean =>
  serviceFields.every((name) => one[name] === other[name])

const changedService = (wanted: ServiceFields, present: ServiceFields): Partial<ServiceFields> =>
  Object.fromEntries(serviceFields.filter((name) => wanted[name] !== present[name]).map((name) => [name, wanted[name]]))

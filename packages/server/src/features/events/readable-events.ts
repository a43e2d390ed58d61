import { isPermitted } from '../../permissions.ts'
import { insideOf, namesOf } from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { isReadableName, readableOnly } from '../attributes/attribute-access.ts'
import type { Attributes } from '../attributes/attributes.ts'
import type { Event } from './event.ts'
import type { EventFilter } from './event-filter.ts'

type Restricted = Pick<Viewer, 'restriction' | 'reach'>
type Data = Event['data']

/** Returns the conditions that limit a list to the events that the caller can read. */
export function permittedEvents(viewer: Viewer): Pick<EventFilter, 'devicesOnly' | 'inside' | 'readable'> {
  const inside = insideOf(viewer)
  const readable = namesOf(viewer)
  if (viewer.restriction !== undefined)
    return { devicesOnly: true, ...(inside && { inside }), ...(readable && { readable }) }
  return isPermitted(viewer.permissions, 'AUDIT_READ') ? {} : { devicesOnly: true }
}

/** The caller can read an attribute change if they can read at least one of the changed attributes. */
export const isReadableEvent = (viewer: Restricted, { type, data }: Pick<Event, 'type' | 'data'>): boolean =>
  namesOf(viewer) === undefined ||
  type !== 'ATTRIBUTE_CHANGE' ||
  Object.keys(objectIn(data.changes)).some((name) => isReadableName(viewer, name))

export function readableData(viewer: Restricted, { type, data }: Pick<Event, 'type' | 'data'>): Data {
  if (namesOf(viewer) === undefined) return data
  if (type !== 'ATTRIBUTE_CHANGE') return withReadableAttributes(viewer, data)
  const changes = Object.entries(objectIn(data.changes)).filter(([name]) => isReadableName(viewer, name))
  return { ...data, changes: Object.fromEntries(changes) }
}

function withReadableAttributes(viewer: Restricted, data: Data): Data {
  const { attributes, overrides, services, attributeNames } = data
  return {
    ...data,
    ...(isObject(attributes) && { attributes: readableOnly(viewer, attributes as Attributes) }),
    ...(isObject(overrides) && { overrides: readableOverrides(viewer, overrides) }),
    ...(Array.isArray(attributeNames) && {
      attributeNames: attributeNames.filter((name) => isReadableName(viewer, String(name))),
    }),
    ...(Array.isArray(services) && {
      services: services.map((service) => (isObject(service) ? withReadableAttributes(viewer, service) : service)),
    }),
  }
}

function readableOverrides(viewer: Restricted, overrides: Data): Data {
  const readable = Object.entries(overrides).map(([context, attributes]): [string, Attributes] => [
    context,
    readableOnly(viewer, objectIn(attributes) as Attributes),
  ])
  return Object.fromEntries(readable.filter(([, attributes]) => Object.keys(attributes).length > 0))
}

const isObject = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value)

const objectIn = (value: unknown): Data => (isObject(value) ? value : {})

import type { EventType } from '../../components/events/event-types.ts'

/** Kinds of events in the filter of a device's events. */
export const eventKinds = ['state', 'attributes', 'services', 'device'] as const

export type EventKind = (typeof eventKinds)[number]

export const eventKindLabels: Readonly<Record<EventKind, string>> = {
  state: 'State',
  attributes: 'Attributes',
  services: 'Services',
  device: 'Device and secret',
}

export const typesOfKind: Readonly<Record<EventKind, EventType[]>> = {
  state: ['DEVICE_STATE', 'SERVICE_STATE'],
  attributes: ['ATTRIBUTE_CHANGE'],
  services: ['SERVICE_ADD', 'SERVICE_UPDATE', 'SERVICE_REMOVE', 'SERVICE_STATE'],
  device: ['DEVICE_REGISTER', 'DEVICE_UPDATE', 'DEVICE_DELETE', 'DEVICE_TRANSFER', 'DEVICE_SECRET_ROTATE'],
}

/** The types of events about services. */
export const typesOfServices: readonly EventType[] = [...typesOfKind.services, 'ATTRIBUTE_CHANGE']

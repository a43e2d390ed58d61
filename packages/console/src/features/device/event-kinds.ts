import type { EventType } from '../../components/events/event-types.ts'

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

export const typesOfServices: readonly EventType[] = [...typesOfKind.services, 'ATTRIBUTE_CHANGE']

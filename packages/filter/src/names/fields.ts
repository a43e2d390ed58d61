import { isReservedShortName } from './attribute-name.ts'

export type FilterKind = 'device' | 'service' | 'event'

/** `strings` is for fields with several values. `application` is for fields with a number and a title. */
export type FieldType =
  | 'string'
  | 'strings'
  | 'number'
  | 'application'
  | 'time'
  | 'state'
  | 'boolean'
  | 'protocol'
  | 'email'
  | 'id'
  | 'eventId'
  | 'eventType'
  | 'source'

const deviceFields = {
  id: 'id',
  name: 'string',
  hardwareId: 'string',
  platform: 'string',
  created: 'time',
  state: 'state',
  online: 'boolean',
  stateSince: 'time',
  lastReported: 'time',
  owner: 'email',
  contexts: 'strings',
} as const satisfies Record<string, FieldType>

const serviceFields = {
  id: 'id',
  name: 'string',
  application: 'application',
  title: 'string',
  host: 'string',
  port: 'number',
  protocol: 'protocol',
  enabled: 'boolean',
  created: 'time',
  state: 'state',
  online: 'boolean',
  lastReported: 'time',
  contexts: 'strings',
} as const satisfies Record<string, FieldType>

const eventFields = {
  id: 'eventId',
  type: 'eventType',
  timestamp: 'time',
  actor: 'string',
  source: 'source',
  key: 'string',
  job: 'string',
  state: 'state',
  context: 'string',
  changed: 'strings',
  'target.id': 'string',
  'target.name': 'string',
  'target.kind': 'string',
} as const satisfies Record<string, FieldType>

export type DeviceField = keyof typeof deviceFields
export type ServiceField = keyof typeof serviceFields
export type EventField = keyof typeof eventFields

/** The fields of each kind of object, with their types. Omits `services` of devices, which has no single type. */
export const fieldTypes = { device: deviceFields, service: serviceFields, event: eventFields } as const

export const fieldType = (kind: FilterKind, name: string): FieldType | undefined => {
  const types: Readonly<Record<string, FieldType>> = fieldTypes[kind]
  return Object.hasOwn(types, name) ? types[name] : undefined
}

/** The kinds of sources that an event can have. The kind is `unknown` if the event was recorded without a source. */
export const sourceKinds = ['accessKey', 'console', 'device', 'job', 'server', 'unknown'] as const

export const functionNames = ['base', 'in', 'override', 'age', 'changed', 'stale', 'view', 'any'] as const
export type FunctionName = (typeof functionNames)[number]

export const isFunctionName = (name: string): name is FunctionName => functionNames.some((each) => each === name)

/** Returns whether the name means the attribute with exactly this name only with the prefix `attributes.`. */
export const needsAttributesPrefix = (kind: FilterKind, name: string): boolean =>
  fieldType(kind, name) !== undefined ||
  isReservedShortName(name) ||
  /^attributes(\.|$)/.test(name) ||
  (kind === 'event' && /^target(\.|$)/.test(name)) ||
  (kind === 'device' ? /^services(\.|$)/ : /^device(\.|$)/).test(name)

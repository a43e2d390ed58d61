import type { ValueTimes } from '../attributes/target.ts'
import type { EventTypeName } from '../events/event-types.ts'

/** The rows of one device as JSON from PostgreSQL, without the account ID. Timestamps are strings. */
export interface DeviceRows {
  device: {
    id: string
    name: string
    hardware_id: string | null
    platform: string | null
    created: string | null
    attributes: StoredAttributes
    attribute_times?: ValueTimes
  }
  /** The row of `device_live`: the state and the reserved values, keyed by column. */
  live: LiveRow
  overrides: OverrideRow[]
  services: ServiceRow[]
  /** The states of the services that have reported a state. */
  serviceLives: ServiceLiveRow[]
}

export type StoredAttributes = Record<string, string | Record<string, string>>

export interface LiveRow {
  state: string
  state_since: string | null
  last_reported: string | null
  attribute_times?: ValueTimes
  [reserved: string]: string | null | ValueTimes | undefined
}

export interface OverrideRow {
  target_id: string
  context: string
  attributes: StoredAttributes
  attribute_times?: ValueTimes
}

export interface ServiceRow {
  id: string
  name: string
  application: number
  host: string | null
  port: number | null
  enabled: boolean
  created: string | null
  attributes: StoredAttributes
  attribute_times?: ValueTimes
}

export interface ServiceLiveRow {
  service_id: string
  state: string
  state_since: string | null
  last_reported: string | null
}

export interface PastEvent {
  id: string
  type: EventTypeName
  /** The ID of the device or service that changed. */
  target: string
  state: string | null
  data: Record<string, unknown>
  previous: Record<string, unknown> | null
}

export type AttributeChanges = Record<string, { old: string | null }>

/** Events of releases that did not record times lack these fields. */
export interface DeletedTimes {
  times?: ValueTimes
  /** The times of the overrides, keyed by context. */
  overrideTimes?: Record<string, ValueTimes>
}

/**
 * The `data` of a DEVICE_DELETE event, and of the DEVICE_TRANSFER event in the account that the device left. If the
 * attributes, overrides, and services were too large together, the event contains `omitted` instead of them.
 */
export interface DeletedDevice {
  name: string
  hardwareId: string | null
  platform: string | null
  attributes?: StoredAttributes
  overrides?: Record<string, StoredAttributes>
  services?: DeletedService[]
}

export interface DeletedService extends Omit<ServiceRow, 'attributes' | 'attribute_times'>, DeletedTimes {
  /** The reported state, or null if the service has its device's state. */
  state: string | null
  stateSince?: string | null
  lastReported: string | null
  attributes: StoredAttributes
  overrides: Record<string, StoredAttributes>
}

import type { ObjectTypes } from '../schema/types.generated.ts'
import type { ArgumentsOf } from '../select/fields.ts'
import type { Checked, Selected } from '../select/selection.ts'
import type { CallOptions } from '../types.ts'
import type { PageOptions } from './list.ts'

type Filter<Field> = Omit<ArgumentsOf<Field>, 'size' | 'from' | 'after' | 'last'>

interface ListOptions extends PageOptions, Pick<CallOptions, 'signal' | 'timeout' | 'retries'> {}

export interface Choice<Name extends keyof ObjectTypes, Given> {
  /** Selection for each item. Default: all plain fields. */
  select?: (Given & Checked<Name, Given>) | undefined
}

/** An item's type: the selected fields, or all plain fields. */
export type Chosen<Name extends keyof ObjectTypes, Given, Plain> = [Given] extends [never]
  ? Plain
  : Selected<Name, Given>

/**
 * Filter and page options of a device list. `name` matches any part of the name and is case-insensitive. Filters other
 * than `name`, `where`, and `view` match whole values.
 */
export interface DeviceListOptions extends Filter<ObjectTypes['User']['devices']>, ListOptions {}

export interface ServiceListOptions extends Filter<ObjectTypes['Device']['services']>, ListOptions {
  /** IDs of the devices whose services to list, at most 1000. Default: all devices. */
  deviceId?: string | readonly string[] | undefined
}

export interface PastEventListOptions extends Filter<ObjectTypes['User']['events']>, ListOptions {}

export interface DeliveryListOptions extends Filter<ObjectTypes['Webhook']['deliveries']>, ListOptions {
  webhookId: string
}

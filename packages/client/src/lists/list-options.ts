import type { ObjectTypes } from '../schema/types.generated.ts'
import type { ArgumentsOf } from '../select/fields.ts'
import type { Checked, Selected, Selection } from '../select/selection.ts'
import type { CallOptions } from '../types.ts'
import type { PageOptions } from './list.ts'

/** The filter arguments of a list, without the arguments of the page. */
type Filter<Field> = Omit<ArgumentsOf<Field>, 'size' | 'from' | 'after' | 'last'>

interface ListOptions extends PageOptions, Pick<CallOptions, 'signal' | 'timeout' | 'retries'> {}

export interface Choice<Name extends keyof ObjectTypes, Given> {
  /** The selection for each item. Default: all plain fields. */
  select?: (Given & Checked<Name, Given>) | undefined
}

/** The type of items: the selected fields, or all plain fields. */
export type Chosen<Name extends keyof ObjectTypes, Given, Plain> = [Given] extends [never]
  ? Plain
  : Selected<Name, Given>

export type AnySelection<Name extends keyof ObjectTypes> = Selection<Name>

/** The filter of devices. `name` matches parts, case-insensitively. The others match exactly. */
export interface DeviceListOptions extends Filter<ObjectTypes['User']['devices']>, ListOptions {}

/** The filter of services. */
export interface ServiceListOptions extends Filter<ObjectTypes['Device']['services']>, ListOptions {
  /** Only services of these devices, at most 1000. */
  deviceId?: string | readonly string[] | undefined
}

/** The filter of events. */
export interface PastEventListOptions extends Filter<ObjectTypes['User']['events']>, ListOptions {}

/** The filter of deliveries. */
export interface DeliveryListOptions extends Filter<ObjectTypes['Webhook']['deliveries']>, ListOptions {
  webhookId: string
}

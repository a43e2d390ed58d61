import type { ObjectTypes } from '../schema/types.generated.ts'
import type { ArgumentsOf } from '../select/fields.ts'
import type { Checked, Selected, Selection } from '../select/selection.ts'
import type { CallOptions } from '../types.ts'
import type { PageOptions } from './list.ts'

/** Arguments of a list that say which items, and not which page of them. */
type Filter<Field> = Omit<ArgumentsOf<Field>, 'size' | 'from' | 'after' | 'last'>

interface ListOptions extends PageOptions, Pick<CallOptions, 'signal' | 'timeout' | 'retries'> {}

export interface Choice<Name extends keyof ObjectTypes, Given> {
  /** What to ask of each item; all plain fields if left away. */
  select?: (Given & Checked<Name, Given>) | undefined
}

/** What the items of a list, or one item, come as: what was selected, or all plain fields. */
export type Chosen<Name extends keyof ObjectTypes, Given, Plain> = [Given] extends [never]
  ? Plain
  : Selected<Name, Given>

export type AnySelection<Name extends keyof ObjectTypes> = Selection<Name>

/** Which devices: `name` is a part of it, case aside, the others are exact. */
export interface DeviceListOptions extends Filter<ObjectTypes['User']['devices']>, ListOptions {}

/** Which services. */
export interface ServiceListOptions extends Filter<ObjectTypes['Device']['services']>, ListOptions {
  /** Those of these devices alone; at most 1000. */
  deviceId?: string | readonly string[] | undefined
}

/** Which events. */
export interface PastEventListOptions extends Filter<ObjectTypes['User']['events']>, ListOptions {}

/** Which deliveries. */
export interface DeliveryListOptions extends Filter<ObjectTypes['Webhook']['deliveries']>, ListOptions {
  webhookId: string
}

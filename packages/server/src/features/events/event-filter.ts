import type { ReadableNames, ResolvedFilter } from '@muster/filter'
import { badInput, limitExceeded } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { parseId } from '../devices/device-id.ts'
import type { EventTypeName } from './event-types.ts'

/** Null is equivalent to an omitted argument. */
export interface EventFilterArguments {
  minDate?: Date | null | undefined
  maxDate?: Date | null | undefined
  types?: readonly EventTypeName[] | null | undefined
  deviceId?: readonly string[] | null | undefined
}

/** An omitted field matches all events. */
export interface EventFilter {
  /** The start of the time range, inclusive. */
  from?: Date
  /** The end of the time range, exclusive. */
  until?: Date
  types?: readonly EventTypeName[]
  deviceIds?: readonly string[]
  fromId?: string
  /** Whether to exclude events without a device. Must be true if the caller cannot read the account's own events. */
  devicesOnly?: boolean
  /** Limits the list to events of the devices that currently match this filter. Undefined means all events. */
  inside?: ResolvedFilter
  /**
   * The attribute names that the caller can read. Events that change only other attributes do not match. Undefined if
   * the caller can read all attributes.
   */
  readable?: ReadableNames
  where?: EventWhere
}

export interface EventWhere {
  filter: ResolvedFilter
  /** Undefined means the base values. */
  context: string | undefined
  /** The reference time for relative times in the filter, in milliseconds since 1970. */
  now: number
}

/** With `defaultsToMonth`, minDate defaults to one month before maxDate or, without maxDate, before now. */
export function readEventFilter(
  args: EventFilterArguments,
  { now, defaultsToMonth }: { now: Date; defaultsToMonth: boolean },
): EventFilter {
  const { minDate, maxDate, types, deviceId } = args
  if (minDate != null && maxDate != null && minDate > maxDate)
    throw badInput(`minDate must not be after maxDate: ${minDate.toISOString()} is after ${maxDate.toISOString()}`)
  const from = minDate ?? (defaultsToMonth ? monthBefore(maxDate ?? now) : undefined)
  return {
    ...(from && { from }),
    ...(maxDate && { until: maxDate }),
    ...(types && { types: [...new Set(types)] }),
    ...(deviceId && { deviceIds: readDeviceIds(deviceId) }),
  }
}

function readDeviceIds(ids: readonly string[]): string[] {
  if (ids.length > limits.idsPerList)
    throw limitExceeded(`deviceId accepts at most ${limits.idsPerList} IDs, found ${ids.length}`)
  return [...new Set(ids.flatMap((id) => parseId(id) ?? []))]
}

/** Returns the time one calendar month earlier, in UTC. If the earlier month has no such day, uses its last day. */
export function monthBefore(date: Date): Date {
  const daysInMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 0)).getUTCDate()
  const earlier = new Date(date)
  earlier.setUTCMonth(date.getUTCMonth() - 1, Math.min(date.getUTCDate(), daysInMonth))
  return earlier
}

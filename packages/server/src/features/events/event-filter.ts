import type { ReadableNames, ResolvedFilter } from '@muster/filter'
import { isPermitted } from '../../access.ts'
import { ApiError, badInput } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { insideOf, namesOf } from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { parseId } from '../devices/device-id.ts'
import type { EventTypeName } from './event-types.ts'

/** The API arguments that filter events. Null is equivalent to an omitted argument. */
export interface EventFilterArguments {
  minDate?: Date | null | undefined
  maxDate?: Date | null | undefined
  types?: readonly EventTypeName[] | null | undefined
  deviceId?: readonly string[] | null | undefined
}

/** A validated filter. An omitted field matches all events. */
export interface EventFilter {
  /** The inclusive start of the range. */
  from?: Date
  /** The exclusive end of the range. */
  until?: Date
  types?: readonly EventTypeName[]
  deviceIds?: readonly string[]
  fromId?: string
  /** Whether to select only events of devices. This is required if the viewer cannot read events of the account. */
  devicesOnly?: boolean
  /**
   * Selects the devices that the caller can reach now. The list contains only events of these devices. Undefined means
   * all events.
   */
  inside?: ResolvedFilter
  /** The attributes that the caller can read, if not all. Changes to only other attributes are excluded. */
  readable?: ReadableNames
  where?: EventWhere
}

/** The part of a filter that the viewer's permissions and restriction require. */
export function permittedEvents(viewer: Viewer): Pick<EventFilter, 'devicesOnly' | 'inside' | 'readable'> {
  const inside = insideOf(viewer)
  const readable = namesOf(viewer)
  if (viewer.restriction !== undefined)
    return { devicesOnly: true, ...(inside && { inside }), ...(readable && { readable }) }
  return isPermitted(viewer.permissions, 'AUDIT_READ') ? {} : { devicesOnly: true }
}

/** A filter in the filter language, with the values that it depends on. */
export interface EventWhere {
  filter: ResolvedFilter
  /** The context in which the filter reads attributes. Undefined means the base values. */
  context: string | undefined
  /** The reference time for relative times in the filter, in milliseconds since 1970. */
  now: number
}

/**
 * Validates the arguments. With `defaultsToMonth`, minDate defaults to one month before maxDate or, without maxDate,
 * before now.
 */
export function readEventFilter(
  args: EventFilterArguments,
  { now, defaultsToMonth }: { now: Date; defaultsToMonth: boolean },
): EventFilter {
  const { minDate, maxDate, types, deviceId } = args
  if (minDate != null && maxDate != null && minDate > maxDate) {
    throw badInput(`minDate must not be after maxDate: ${minDate.toISOString()} is after ${maxDate.toISOString()}`)
  }
  const from = minDate ?? (defaultsToMonth ? monthBefore(maxDate ?? now) : undefined)
  return {
    ...(from && { from }),
    ...(maxDate && { until: maxDate }),
    ...(types && { types: [...new Set(types)] }),
    ...(deviceId && { deviceIds: readDeviceIds(deviceId) }),
  }
}

function readDeviceIds(ids: readonly string[]): string[] {
  if (ids.length > limits.idsPerList) {
    throw new ApiError('LIMIT_EXCEEDED', `deviceId accepts at most ${limits.idsPerList} IDs, found ${ids.length}`)
  }
  return [...new Set(ids.flatMap((id) => parseId(id) ?? []))]
}

/** Returns the same time one calendar month earlier, or on the earlier month's last day if that month is shorter. */
export function monthBefore(date: Date): Date {
  const daysInMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 0)).getUTCDate()
  const earlier = new Date(date)
  earlier.setUTCMonth(date.getUTCMonth() - 1, Math.min(date.getUTCDate(), daysInMonth))
  return earlier
}

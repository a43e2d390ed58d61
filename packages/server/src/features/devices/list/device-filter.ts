import type { ResolvedFilter } from '@muster/filter'
import { assertAtMost, badInput } from '../../../errors.ts'
import { assertStorable } from '../../../lib/string-checks.ts'
import { limits } from '../../../limits.ts'
import { type Change, flattenAttributes } from '../../attributes/parse-attributes.ts'
import { type ReadFilter, readFilter } from '../../filters/read-filter.ts'
import type { State } from '../device.ts'
import { parseId } from '../device-id.ts'

/** Null is equivalent to an omitted argument. */
export interface DeviceFilterArguments {
  name?: string | null | undefined
  state?: string | null | undefined
  id?: readonly string[] | null | undefined
  hardwareId?: string | null | undefined
  platform?: readonly string[] | null | undefined
  application?: readonly number[] | null | undefined
  attributes?: Record<string, unknown> | null | undefined
  where?: string | null | undefined
  view?: string | null | undefined
  /** The reference time for relative times in `where`. The default is the current time. */
  now?: Date | null | undefined
}

/** A device must match every field that is set. An empty list matches no device. */
export interface DeviceFilter {
  /** A part of the name, case-insensitive. */
  name?: string
  state?: State
  ids?: string[]
  hardwareId?: string
  platforms?: readonly string[]
  applications?: readonly number[]
  /** An entry with the value null matches a device that has no value for the name. */
  values?: Change[]
  where?: ReadFilter
  /** Matches the devices that the caller can reach. Undefined if the caller can reach all devices. */
  inside?: ResolvedFilter
  /** The reference time for relative times in `where`, in milliseconds since 1970. */
  now?: number
  context?: string | undefined
}

export function readDeviceFilter(args: DeviceFilterArguments, context: string | undefined): DeviceFilter {
  const filter: DeviceFilter = {}
  if (args.name) filter.name = storable(args.name, 'name')
  if (args.state != null) filter.state = readState(args.state)
  if (args.id != null) filter.ids = readIds(args.id, 'id')
  if (args.hardwareId != null) filter.hardwareId = storable(args.hardwareId, 'hardwareId')
  if (args.platform != null) filter.platforms = args.platform.map((each, index) => storable(each, `platform[${index}]`))
  if (args.application != null) filter.applications = args.application
  const values = args.attributes == null ? [] : flattenAttributes(args.attributes, 'attributes')
  assertAtMost(limits.namesPerTarget, values.length, { path: 'attributes', what: 'names' })
  if (values.length > 0) filter.values = values
  const where =
    args.where == null
      ? undefined
      : readFilter(args.where, { kind: 'device', path: 'where', hasContext: context !== undefined })
  if (where !== undefined) Object.assign(filter, { where, now: (args.now ?? new Date()).getTime() })
  return filter.values === undefined && where === undefined ? filter : { ...filter, context }
}

export function readState(state: string): State {
  if (state !== 'active' && state !== 'inactive') {
    throw badInput(`state must be active or inactive, not ${JSON.stringify(state.slice(0, 100))}`)
  }
  return state
}

/**
 * Returns the IDs in their stored form, without duplicates, in the given order. Omits malformed IDs. Throws
 * LIMIT_EXCEEDED if there are too many IDs.
 */
export function readIds(ids: readonly string[], path: string): string[] {
  assertAtMost(limits.idsPerList, ids.length, { path, what: 'IDs' })
  const stored = ids.map(parseId).filter((id) => id !== undefined)
  return [...new Set(stored)]
}

function storable(text: string, path: string): string {
  assertStorable(text, path)
  return text
}

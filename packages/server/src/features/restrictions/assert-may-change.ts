import { type FilterReads, type ResolvedFilter, readsOf } from '@muster/filter'
import { ApiError } from '../../errors.ts'
import { insideOf } from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { type AttributeName, joinAttributeName, type TargetKind } from '../attributes/attribute-name.ts'

/**
 * Returns the error for a change that callers who are restricted to some devices may not make. For example, they may
 * not move a device into or out of the restriction.
 */
export const outside = (message: string): ApiError => new ApiError('FORBIDDEN', message, { reason: 'device' })

export const registersOutside = (): ApiError =>
  outside(
    'the new device would not be among the devices that you are restricted to: register it with values that match your restriction',
  )

const decisive = (what: string): ApiError =>
  outside(`${what} cannot be changed, because it decides which devices you are restricted to`)

const known = new WeakMap<ResolvedFilter, FilterReads>()

type Restricted = Pick<Viewer, 'restriction' | 'reach'>

function readsOfViewer(viewer: Restricted): FilterReads | undefined {
  const inside = insideOf(viewer)
  if (inside === undefined) return undefined
  const reads = known.get(inside) ?? readsOf(inside)
  known.set(inside, reads)
  return reads
}

export function assertMayChangeFields(viewer: Restricted, fields: readonly string[]): void {
  const reads = readsOfViewer(viewer)
  const field = fields.find((name) => reads?.fields.has(`device.${name}`))
  if (field !== undefined) throw decisive(field)
}

export function assertMayChangeServices(viewer: Restricted): void {
  if (readsOfViewer(viewer)?.isServices) throw decisive('a service')
}

/**
 * Throws FORBIDDEN if the restriction's filter may read one of the attributes. Also throws FORBIDDEN if the attributes
 * belong to the account and the caller is restricted to some devices.
 */
export function assertMayChangeAttributes(
  viewer: Restricted,
  { kind, context, names }: { kind: TargetKind; context: string | undefined; names: readonly AttributeName[] },
): void {
  const reads = readsOfViewer(viewer)
  if (reads === undefined) return
  if (kind === 'user')
    throw outside('a caller who is restricted to some devices cannot change attributes of the account')
  if (kind === 'service') {
    if (reads.isServices) throw decisive('an attribute of a service')
    return
  }
  if (context !== undefined && reads.fields.has('device.contexts')) throw decisive('an attribute in a context')
  if (context === undefined && reads.isAnyAttribute) throw decisive('a base value')
  const name = names
    .map(joinAttributeName)
    .find((each) => [...reads.deviceAttributes].some((read) => overlap(each, read)))
  if (name !== undefined) throw decisive(JSON.stringify(name))
}

const overlap = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`)

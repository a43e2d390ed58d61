import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import type { Reach, RestrictionPart } from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { readFilter } from '../filters/read-filter.ts'
import { withContext } from '../filters/with-context.ts'
import { applyView, readStoredFilter } from '../views/apply-view.ts'

const place = { kind: 'device', path: 'where' } as const
const everything = readFilter('id:*', place)!.filter
const nothing = readFilter('NOT id:*', place)!.filter

/**
 * Returns a restricted viewer with its `reach`: the devices and attributes that the restriction allows. Returns other
 * viewers unchanged.
 */
export function withReach<Known extends Pick<Viewer, 'accountId' | 'restriction'> | null>(
  db: Database,
  viewer: Known,
): Known | Promise<Known> {
  if (viewer === null || viewer.restriction === undefined) return viewer
  const { accountId, restriction } = viewer
  return readReach(db, accountId, restriction).then((reach) => ({ ...viewer, reach }))
}

export async function readReach(
  db: Database,
  accountId: string,
  restriction: readonly RestrictionPart[],
): Promise<Reach> {
  const ofDevices = restriction.filter(({ where, view }) => where !== undefined || view !== undefined)
  const filters = await Promise.all(ofDevices.map((part) => devicesOf(db, accountId, part)))
  const names = restriction.flatMap(({ attributes }) => attributes ?? [])
  return {
    devices: filters.length === 0 ? undefined : allOf(filters),
    names: names.length === 0 ? undefined : names,
  }
}

/** If a view was deleted, or a filter is invalid or exceeds a limit, the returned filter matches no device. */
async function devicesOf(
  db: Database,
  accountId: string,
  { where, view, context }: RestrictionPart,
): Promise<ResolvedFilter> {
  try {
    const own =
      where === undefined ? undefined : readStoredFilter(where, { place, name: 'the filter of the role or key' })
    const selection = { where: own, viewId: view, inContext: context }
    const applied = await applyView({ db, viewer: { accountId } }, selection, place)
    return applied.where === undefined ? everything : withContext(applied.where.filter, applied.context)
  } catch (error) {
    const codes = ['NOT_FOUND', 'CONFLICT', 'BAD_USER_INPUT', 'LIMIT_EXCEEDED']
    if (error instanceof ApiError && codes.includes(error.code)) return nothing
    throw error
  }
}

/**
 * Combines filters into one conjunction. Merges the operands of filters that are conjunctions themselves, because no
 * conjunction may directly contain another conjunction.
 */
function allOf(filters: readonly ResolvedFilter[]): ResolvedFilter {
  const operands = filters.flatMap((filter) => (filter.type === 'and' ? filter.operands : [filter]))
  return operands.length === 1 ? operands[0]! : { type: 'and', operands }
}

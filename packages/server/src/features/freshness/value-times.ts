import type { Context } from '../../context.ts'
import { loaderByArguments } from '../../graphql/loaders.ts'
import { perRequest } from '../../graphql/per-request.ts'
import type { ValueTimes } from '../attributes/target.ts'
import { selectBaseTimes, selectOverrideTimes, selectTimesSince } from './value-times.queries.ts'

/** The context is null for a base value. */
export interface TimedValue {
  ownerId: string
  name: string
  context: string | null
}

/** All times are in milliseconds since 1970. */
export interface RecordedTimes {
  /** Undefined if the last change may be older than `since`, because its time is then unknown. */
  changed: number | undefined
  /** The time of the last recorded write, or `since` if that is later. */
  confirmed: number
  /** The time by which every server process had begun to record times. */
  since: number
}

export async function findTimes(context: Context, value: TimedValue): Promise<RecordedTimes> {
  const [stored, since] = await Promise.all([loadStoredTimes(context, null, value), timesSince(context)])
  const time = stored !== undefined && Object.hasOwn(stored.times, value.name) ? stored.times[value.name] : undefined
  const [changed, confirmed] = Array.isArray(time) ? time : [time, time]
  const known = changed ?? stored?.created ?? 0
  return { changed: known > since ? known : undefined, confirmed: Math.max(confirmed ?? 0, known, since), since }
}

export const timesSince = perRequest(async ({ db }: Context) => (await selectTimesSince(db)).getTime())

interface StoredTimes {
  times: ValueTimes
  created: number | undefined
}

type Place = Omit<TimedValue, 'name'>

const keyOf = ({ ownerId, context }: Place): string => `${ownerId} ${context ?? ''}`

const loadStoredTimes = loaderByArguments(async (context: Context, _args: null, places: readonly Place[]) => {
  const { db, viewer } = context
  const bases = places.filter(({ context }) => context === null).map(({ ownerId }) => ownerId)
  const overrides = places.filter(({ context }) => context !== null)
  const ids = overrides.map(({ ownerId }) => ownerId)
  const contexts = overrides.map(({ context }) => context!)
  const ofBases = bases.length === 0 ? [] : await selectBaseTimes(db, viewer.accountId, bases)
  const ofOverrides = ids.length === 0 ? [] : await selectOverrideTimes(db, viewer.accountId, { ids, contexts })
  const found = new Map<string, StoredTimes>()
  for (const { id, times, created } of ofBases)
    found.set(keyOf({ ownerId: id, context: null }), { times, created: created?.getTime() })
  for (const { id, context, times } of ofOverrides)
    found.set(keyOf({ ownerId: id, context }), { times, created: undefined })
  return places.map((place) => found.get(keyOf(place)))
})

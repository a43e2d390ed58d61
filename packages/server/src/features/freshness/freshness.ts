import type { Context } from '../../context.ts'
import { walk } from '../../db/fair/user-database.ts'
import { loaderByArguments, loaderById } from '../../graphql/loaders.ts'
import { insideOf } from '../../restriction.ts'
import { isReadableName } from '../attributes/attribute-access.ts'
import { parseAttributeName } from '../attributes/attribute-name.ts'
import { type Freshness, intervalsOf } from './expected-intervals.ts'
import { countStale, selectStale } from './freshness.queries.ts'

export async function listFreshness(context: Context): Promise<Freshness[]> {
  return [...(await intervalsOf(context))]
    .map(([name, seconds]) => ({ name, seconds }))
    .filter(({ name }) => isReadableName(context.viewer, name))
}

export const countIntervals = async (context: Context): Promise<number> => (await intervalsOf(context)).size

/** One statement counts the devices for a batch of names. */
export const countStaleDevices = (context: Context, { name }: Freshness): Promise<number> =>
  loadStaleCount(context, null, name)

const loadStaleCount = loaderByArguments(
  ({ db, viewer, rowMeter, clock }: Context, _args: null, names: readonly string[]) => {
    rowMeter.add(({ devices }) => devices)
    const parsed = names.map((name) => parseAttributeName(name, 'name'))
    const query = { accountId: viewer.accountId, names: parsed, inside: insideOf(viewer), now: clock().getTime() }
    return walk(db, ['stale: the server checks the values of every device'], (walking) => countStale(walking, query))
  },
  { cache: true },
)

/** Checks only base values that the caller can read. */
export const isDeviceStale = (context: Context, id: string): Promise<boolean> => staleDevices(context).load(id)

const staleDevices = loaderById({ missing: false }, async (context: Context, ids) => {
  const { db, viewer, clock } = context
  const names = (await listFreshness(context)).map(({ name }) => parseAttributeName(name, 'name'))
  const stale = await selectStale(db, { accountId: viewer.accountId, names, now: clock().getTime() }, ids)
  return new Map(ids.map((id) => [id, stale.has(id)]))
})

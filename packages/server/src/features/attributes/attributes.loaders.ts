import DataLoader from 'dataloader'
import type { Context } from '../../context.ts'
import { loaderById } from '../../graphql/loaders.ts'
import { perRequest } from '../../graphql/per-request.ts'
import { findAccountBase, findDeviceBases, findOverrides, findServiceBases } from './attributes.queries.ts'
import { type Attributes, joinReserved } from './attributes.ts'
import { listContextsOf } from './overrides-of-devices.ts'
import { withOwnSettings, withoutAccountSettings } from './settings/own-settings.ts'

interface Place {
  targetId: string
  context: string
}

/** Returns an empty object for a deleted device. */
const deviceBases = loaderById({ missing: {} }, async ({ db, viewer }: Context, ids) => {
  const rows = await findDeviceBases(db, viewer.accountId, ids)
  return new Map(rows.map((row) => [row.id, joinReserved(row.attributes, row)]))
})

const serviceBases = loaderById({ missing: {} }, async ({ db, viewer }: Context, ids) => {
  const rows = await findServiceBases(db, viewer.accountId, ids)
  return new Map(rows.map(({ id, attributes }) => [id, attributes]))
})

const userBases = loaderById({ missing: {} }, async (context: Context) => {
  const [row] = await findAccountBase(context.db, context.viewer.accountId)
  return new Map(row && [[row.id, await withOwnSettings(context, row.attributes)]])
})

const overrides = perRequest(
  ({ db, viewer }: Context) =>
    new DataLoader<Place, Attributes | undefined, string>(
      async (places) => {
        // One statement for all contexts would also look up pairs of target and context that no field selects.
        const statements = [...Map.groupBy(places, ({ context }) => context)].map(([context, inContext]) =>
          findOverrides(db, viewer.accountId, { targetIds: inContext.map(({ targetId }) => targetId), context }),
        )
        const rows = (await Promise.all(statements)).flat()
        const found = new Map(
          rows.map(({ target_id, context, attributes }) => [
            placeKey(target_id, context),
            withoutAccountSettings(viewer, target_id, attributes),
          ]),
        )
        return places.map(({ targetId, context }) => found.get(placeKey(targetId, context)))
      },
      { cacheKeyFn: ({ targetId, context }) => placeKey(targetId, context) },
    ),
)

const placeKey = (targetId: string, context: string): string => `${targetId} ${context}`

const contexts = loaderById({ missing: [] }, ({ db, viewer }: Context, ids) =>
  listContextsOf(db, viewer.accountId, { ids, readable: undefined }),
)

export const attributeLoaders = { deviceBases, serviceBases, userBases, overrides, contexts } as const

/** Clears the caches after a write, because the rest of the request must read current values. */
export function forgetAttributes(context: Context): void {
  for (const loader of Object.values(attributeLoaders)) loader(context).clearAll()
}

import DataLoader from 'dataloader'
import type { Context } from '../../context.ts'
import { perRequest } from '../../graphql/per-request.ts'
import {
  findAccountBase,
  findDeviceBases,
  findOverrides,
  findServiceBases,
  listContexts,
} from './attributes.queries.ts'
import { type Attributes, joinReserved } from './attributes.ts'
import { withOwnSettings, withoutAccountSettings } from './settings/own-settings.ts'

interface Place {
  targetId: string
  context: string
}

/** Returns an empty object for a deleted device. */
const deviceBases = perRequest(
  ({ db, viewer }: Context) =>
    new DataLoader(async (ids: readonly string[]) => {
      const rows = await findDeviceBases(db, viewer.accountId, ids)
      const bases = new Map(rows.map((row) => [row.id, joinReserved(row.attributes, row)]))
      return ids.map((id): Attributes => bases.get(id) ?? {})
    }),
)

const serviceBases = perRequest(
  ({ db, viewer }: Context) =>
    new DataLoader(async (ids: readonly string[]) => {
      const rows = await findServiceBases(db, viewer.accountId, ids)
      const bases = new Map(rows.map(({ id, attributes }) => [id, attributes]))
      return ids.map((id): Attributes => bases.get(id) ?? {})
    }),
)

const userBases = perRequest(
  (context: Context) =>
    new DataLoader(async (ids: readonly string[]) => {
      const [row] = await findAccountBase(context.db, context.viewer.accountId)
      const attributes = row === undefined ? {} : await withOwnSettings(context, row.attributes)
      return ids.map((id): Attributes => (id === row?.id ? attributes : {}))
    }),
)

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

const contexts = perRequest(
  ({ db, viewer }: Context) =>
    new DataLoader(async (ids: readonly string[]) => {
      const rows = await listContexts(db, viewer.accountId, ids)
      const byTarget = Map.groupBy(rows, (row) => row.target_id)
      return ids.map((id) => (byTarget.get(id) ?? []).map(({ context }) => context))
    }),
)

export const attributeLoaders = { deviceBases, serviceBases, userBases, overrides, contexts } as const

/** Clears the caches after a write, because the rest of the request must read current values. */
export function forgetAttributes(context: Context): void {
  for (const loader of Object.values(attributeLoaders)) loader(context).clearAll()
}

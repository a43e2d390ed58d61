import type { Context } from '../../context.ts'
import { badInput, notFound } from '../../errors.ts'
import { listOf, readPage } from '../../graphql/lists/paging.ts'
import { loaderByArguments, loaderById } from '../../graphql/loaders.ts'
import { once } from '../../lib/once.ts'
import type { WebhookDeliveriesArgs } from '../../resolvers.generated.ts'
import type { Event } from '../events/event.ts'
import { findEvents } from '../events/events.ts'
import { countDeliveries, type DeliverySlice, selectDeliveries, selectOwners } from './deliveries.queries.ts'
import type { WebhookDeliveryList } from './webhook.ts'

const eventLoaderOf = loaderById(
  { missing: null },
  async (context: Context, ids) => new Map((await findEvents(context, ids)).map((event) => [event.id, event])),
)

/** Resolves to null if the event has been deleted. */
export const loadDeliveredEvent = (context: Context, eventId: string): Promise<Event | null> =>
  eventLoaderOf(context).load(eventId)

/** Cursors of deliveries contain this string as their order, so a cursor from another list is invalid. */
const ORDER = 'deliveries'

/** If a request selects deliveries of several webhooks with the same arguments, one query reads all of them. */
export const loadDeliveries = loaderByArguments(readPages)

async function readPages(
  context: Context,
  args: WebhookDeliveriesArgs,
  ids: readonly string[],
): Promise<(WebhookDeliveryList | Error)[]> {
  const { db, viewer, rowMeter } = context
  const webhookIds = [...new Set(ids)]
  const { slice, afterId } = readSlice(context, args)
  const owners =
    afterId === undefined ? undefined : new Set(await selectOwners(db, viewer.accountId, { webhookIds, id: afterId }))
  const found = await selectDeliveries(db, viewer.accountId, { webhookIds, slice })
  const deliveries = Map.groupBy(found, (delivery) => delivery.webhookId)
  const count = once(() => {
    rowMeter.add(({ events }) => events)
    return countDeliveries(db, viewer.accountId, { webhookIds, failed: slice.failed })
  })
  return ids.map((id) =>
    owners?.has(id) === false
      ? notFound('delivery', afterId!)
      : listOf({
          rows: deliveries.get(id) ?? [],
          size: slice.limit - 1,
          order: ORDER,
          placeOf: (delivery) => ({ id: delivery.id, key: null }),
          toItem: (delivery) => delivery,
          total: async () => (await count()).get(id) ?? 0,
        }),
  )
}

/**
 * `afterId` is set if the client passed a delivery ID as `after` or `last`. The caller must check whether the delivery
 * exists.
 */
function readSlice(
  context: Context,
  args: WebhookDeliveriesArgs,
): { slice: DeliverySlice; afterId: string | undefined } {
  const { size, start } = readPage(args, { order: ORDER, firstRecord: context.firstRecord })
  const afterId = 'afterId' in start ? start.afterId : undefined
  if (afterId !== undefined && (afterId.includes('\u0000') || !afterId.isWellFormed()))
    throw badInput('after must be a delivery ID or a cursor from the previous page')
  const from = 'afterPlace' in start ? { afterId: start.afterPlace.id } : start
  return { slice: { failed: args.failed ?? undefined, limit: size + 1, start: from }, afterId }
}

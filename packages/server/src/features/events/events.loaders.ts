import type { Context } from '../../context.ts'
import { loaderByArguments } from '../../graphql/loaders.ts'
import { once } from '../../lib/once.ts'
import type { EventList } from './event.ts'
import { countEventsOfDevices, selectEventsOfDevices } from './events.queries.ts'
import { type EventListArguments, eventList, readEventSlice } from './events.ts'

export const loadEventsOfDevice = loaderByArguments(readPages)

async function readPages(context: Context, args: EventListArguments, ids: readonly string[]): Promise<EventList[]> {
  const { db, viewer, rowMeter } = context
  const page = await readEventSlice(context, args)
  const deviceIds = [...new Set(ids)]
  const found = await selectEventsOfDevices(db, viewer.accountId, { deviceIds, page })
  const events = Map.groupBy(found, ({ deviceId }) => deviceId)
  const count = once(() => {
    rowMeter.add(({ events }) => events)
    return countEventsOfDevices(db, viewer.accountId, { deviceIds, filter: page.filter })
  })
  return ids.map((id) => eventList(page, events.get(id) ?? [], async () => (await count()).get(id) ?? 0))
}

import DataLoader from 'dataloader'
import type { Context } from '../../../context.ts'
import { perRequest } from '../../../graphql/per-request.ts'
import type { EventFilter } from '../event-filter.ts'
import { recordEvents } from '../record.ts'
import type { DownloadGrant } from './download-link.ts'

type Link = Pick<DownloadGrant, 'filter' | 'expires'>

/** An event describes at most 10 links and lists at most 20 devices for each link. */
const DESCRIBED_LINKS = 10
const LISTED_DEVICES = 20

/** Records all links requested by a document as one event, so aliases cannot flood the event log. */
const recorderOf = perRequest(
  (context: Context) =>
    new DataLoader<Link, void>(
      async (links) => {
        await recordLinks(context, links)
        return links.map(() => undefined)
      },
      { cache: false },
    ),
)

export const recordDownloadLink = (context: Context, link: Link): Promise<void> => recorderOf(context).load(link)

async function recordLinks({ db, primary = db, viewer }: Context, links: readonly Link[]): Promise<void> {
  const { accountId, email } = viewer
  const filters = links.slice(0, DESCRIBED_LINKS).map(({ filter }) => describeFilter(filter))
  const data = { links: links.length, filters, expires: links[0]!.expires }
  const targets = [{ id: accountId, name: email, kind: 'user' as const }]
  await recordEvents(primary, { viewer }, [{ type: 'DOWNLOAD_LINK_CREATE', targets, data }])
}

/** Describes the filter as the arguments of `eventsUrl`. Replaces a long list of device IDs with its length, as `devices`. */
const describeFilter = ({ from, until, types, deviceIds }: EventFilter): Record<string, unknown> => ({
  minDate: from,
  maxDate: until,
  types,
  ...(deviceIds !== undefined && deviceIds.length > LISTED_DEVICES
    ? { devices: deviceIds.length }
    : { deviceId: deviceIds }),
})

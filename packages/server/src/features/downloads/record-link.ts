import DataLoader from 'dataloader'
import type { Context } from '../../context.ts'
import { perRequest } from '../../graphql/per-request.ts'
import { recordEvents } from '../events/record.ts'

export interface DownloadLink {
  description: Record<string, unknown>
  expires: Date
}

/** The maximum number of links that a DOWNLOAD_LINK_CREATE event describes. */
const DESCRIBED_LINKS = 10

/**
 * Records one event for all links that are requested in the same tick. A request with many aliases therefore does not
 * cause many events.
 */
const recorderOf = perRequest(
  (context: Context) =>
    new DataLoader<DownloadLink, void>(
      async (links) => {
        await recordLinks(context, links)
        return links.map(() => undefined)
      },
      { cache: false },
    ),
)

export const recordDownloadLink = (context: Context, link: DownloadLink): Promise<void> =>
  recorderOf(context).load(link)

async function recordLinks({ db, primary = db, viewer }: Context, links: readonly DownloadLink[]): Promise<void> {
  const { accountId, email } = viewer
  const filters = links.slice(0, DESCRIBED_LINKS).map(({ description }) => description)
  const data = { links: links.length, filters, expires: links[0]!.expires }
  const targets = [{ id: accountId, name: email, kind: 'user' as const }]
  await recordEvents(primary, { viewer }, [{ type: 'DOWNLOAD_LINK_CREATE', targets, data }])
}

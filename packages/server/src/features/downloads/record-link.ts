import DataLoader from 'dataloader'
import type { Context } from '../../context.ts'
import { perRequest } from '../../graphql/per-request.ts'
import { recordEvents } from '../events/record.ts'

export interface DownloadLink {
  /** The link as the arguments that requested it. */
  description: Record<string, unknown>
  expires: Date
}

/** An event describes at most this many links. */
const DESCRIBED_LINKS = 10

/** Records all links requested by a document as one event, so aliases cannot flood the event log. */
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

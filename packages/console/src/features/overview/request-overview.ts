import type { Client } from '@urql/core'
import { ViewerDocument } from '../user-settings/viewer.generated.ts'
import { OverviewByValueDocument, OverviewDocument, OverviewTotalsDocument } from './overview.generated.ts'
import { type OverviewSearch, type SpanName, spans } from './overview-search.ts'

const DAY_MS = 86_400_000
/** The server counts the active devices at this interval. */
const SAMPLE_MS = 5 * 60_000

const requestedInAdvance = new WeakSet<Client>()

/** Requests the page's data before the route does, while the browser still loads the console's code. */
export function requestOverviewInAdvance(client: Client, search: OverviewSearch): void {
  requestedInAdvance.add(client)
  void requestViewer(client)
  requestData(client, search)
}

/**
 * Requests the page's data, unless `requestOverviewInAdvance` just has. Requests the user first, because the console
 * shows nothing until this response arrives, and the other requests take longer.
 */
export async function requestOverview(client: Client, search: OverviewSearch): Promise<void> {
  if (requestedInAdvance.delete(client)) return
  const { error } = await requestViewer(client)
  if (error === undefined) requestData(client, search)
}

const requestViewer = (client: Client) => client.query(ViewerDocument, {}, { requestPolicy: 'cache-first' }).toPromise()

/** The page's queries find the responses in the client's cache, or share the requests in flight. */
function requestData(client: Client, { span = 'day', by }: OverviewSearch): void {
  const context = { requestPolicy: 'cache-and-network' } as const
  void client.query(OverviewTotalsDocument, {}, context).toPromise()
  void client.query(OverviewDocument, { from: startOf(span, Date.now()) }, context).toPromise()
  void client.query(OverviewByValueDocument, { by: [by ?? usual[0].name] }, context).toPromise()
}

/** Loads the code of the curve, which is large. */
export const loadChart = () => import('./presence-chart.tsx')

/** Returns the start of the period before `now`. Rounds down, so that requests in the same five minutes are equal. */
export const startOf = (span: SpanName, now: number): string =>
  new Date(Math.floor(now / SAMPLE_MS) * SAMPLE_MS - spans[span] * DAY_MS).toISOString()

/**
 * The attributes to try if the user has not chosen an attribute by which to count devices. The server accepts a name
 * that no device uses if the name has the prefix `attributes.`.
 */
export const usual = [
  { by: 'site', name: 'attributes.site' },
  { by: '$svc.categoryA', name: '$svc.categoryA' },
] as const

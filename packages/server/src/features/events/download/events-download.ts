import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { stringify } from 'csv-stringify/sync'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isSessionAlive } from '../../../auth/sessions/sessions.ts'
import type { Context } from '../../../context.ts'
import type { Database } from '../../../db/database.ts'
import { downloadDatabase } from '../../../db/fair/user-database.ts'
import { ApiError } from '../../../errors.ts'
import type { AddressOf } from '../../../lib/client-address.ts'
import { limits } from '../../../limits.ts'
import { OBJECTS_PER_POINT, pointsOfObjects, REQUEST_POINTS } from '../../../rate-limits/points.ts'
import { type Payer, payerOf, payerOfAddress, type RateLimits } from '../../../rate-limits/rate-limits.ts'
import { spend, spendWhenAvailable } from '../../../rate-limits/spend.ts'
import { hasUsableKey } from '../../access-keys/access-keys.queries.ts'
import type { Event } from '../event.ts'
import { type EventFilterArguments, readEventFilter } from '../event-filter.ts'
import { describeSource } from '../event-source.ts'
import { type EventSlice, selectFittingEvents } from '../events.queries.ts'
import { type DownloadGrant, readGrant, signGrant } from './download-link.ts'
import { recordDownloadLink } from './record-link.ts'

const PATH = '/events/v1.csv'
const LINK_LIFETIME_MS = 3_600_000

/**
 * Returns a URL that serves the matching events as CSV without a request signature. The URL is valid for one hour, and only
 * while the requesting access key or session is valid. Creating a URL records an event.
 */
export async function eventsUrl(context: Context, args: EventFilterArguments): Promise<string> {
  const { viewer, clock, origin, linkKey } = context
  const { accountId, accessKey, session } = viewer
  if (accessKey === undefined && session === undefined)
    throw new ApiError('FORBIDDEN', 'a download link needs an access key or a session')
  const now = clock()
  const filter = readEventFilter(args, { now, defaultsToMonth: true })
  const expires = new Date(now.getTime() + LINK_LIFETIME_MS)
  const by = { ...(accessKey !== undefined && { accessKey }), ...(session !== undefined && { session }) }
  await recordDownloadLink(context, { filter, expires })
  return `${origin}${PATH}?link=${signGrant({ accountId, ...by, filter, expires }, linkKey)}`
}

export interface DownloadDeps {
  db: Database
  linkKey: () => Buffer
  clock: () => Date
  rateLimits: RateLimits
  addressOf: AddressOf
  /** Attributes the download to its user and waits for free memory. Throws UNAVAILABLE or RATE_LIMITED. */
  admit: (exchange: { request: FastifyRequest; reply: FastifyReply }, grant: DownloadGrant) => Promise<void> | undefined
}

/** Serves the URLs that `eventsUrl` returns. */
export function registerEventsDownload(app: FastifyInstance, deps: DownloadDeps): void {
  app.get<{ Querystring: { link?: unknown } }>(PATH, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const { link } = request.query
    const grant = typeof link === 'string' ? readGrant(link, { linkKey: deps.linkKey(), now: deps.clock() }) : undefined
    if (grant === undefined || !(await isGrantValid(deps, grant))) {
      spend(payerOfAddress(deps.rateLimits, deps.addressOf(request.raw)), REQUEST_POINTS, reply)
      const message = 'this download link is invalid or has expired: request a new one with eventsUrl'
      const extensions = { reason: 'download-link', code: 'UNAUTHENTICATED' }
      return reply
        .code(401)
        .header('www-authenticate', 'Signature')
        .send({ errors: [{ message, extensions }] })
    }
    await deps.admit({ request, reply }, grant)
    const payer = payerOf(deps.rateLimits, grant)
    spend(payer, REQUEST_POINTS + pointsOfObjects(limits.pageSize), reply)
    return reply
      .header('content-type', 'text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="events.csv"')
      .header('referrer-policy', 'no-referrer')
      .send(Readable.from(csvPages(deps, grant, payer)))
  })
}

async function isGrantValid(deps: DownloadDeps, { accountId, accessKey, session }: DownloadGrant): Promise<boolean> {
  if (accessKey !== undefined) return hasUsableKey(deps.db, accountId, { key: accessKey, now: deps.clock() })
  return session !== undefined && isSessionAlive(deps, { accountId, session })
}

const columns = [
  'id',
  'timestamp',
  'type',
  'deviceId',
  'actorId',
  'target',
  'state',
  'data',
  'source',
  'sourceId',
  'sourceName',
]

/**
 * Yields pages of CSV. Before reading another page, it waits until the previous page is sent and the page's rate-limit cost is
 * charged, as for a query. Fails if the key or session that requested the link becomes invalid.
 */
async function* csvPages(deps: DownloadDeps, grant: DownloadGrant, payer: Payer): AsyncGenerator<string> {
  yield stringify([columns])
  let limit: number = limits.pageSize
  let start: { offset: number } | { afterId: string } = { offset: 0 }
  const db = downloadDatabase(deps.db, grant.accountId)
  for (;;) {
    const slice: EventSlice = { filter: grant.filter, start, limit }
    const { events, mayHaveMore } = await retryWhenRateLimited(() => selectFittingEvents(db, grant.accountId, slice))
    // Spreadsheets run cells that begin with =, +, -, or @, and names can begin with these characters. `escape_formulas`
    // prefixes such cells with an apostrophe.
    if (events.length > 0) yield stringify(events.map(cells), { escape_formulas: true })
    const last = events.at(-1)
    if (last === undefined || !mayHaveMore) return
    start = { afterId: last.id }
    limit = nextLimit(events.length)
    await spendWhenAvailable(payer, pointsOfObjects(limit))
    if (!(await isGrantValid(deps, grant)))
      throw new Error('the access key or session of this download is no longer valid')
  }
}

/**
 * Retries a read that was rejected because the user's other statements were running. The download waits because a client would
 * have to restart an incomplete download from the beginning.
 */
async function retryWhenRateLimited<Result>(read: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') throw error
      await sleep(1_000, undefined, { ref: false })
    }
  }
}

/** Twice the number of events on the last page, rounded up to whole rate-limit points. */
const nextLimit = (returned: number): number =>
  Math.min(limits.pageSize, Math.ceil((2 * returned) / OBJECTS_PER_POINT) * OBJECTS_PER_POINT)

const cells = (event: Event): (string | null)[] => {
  const { id, timestamp, type, deviceId, actorId, targets, state, data } = event
  const source = describeSource(event, null)
  return [
    id,
    timestamp.toISOString(),
    type,
    deviceId,
    actorId,
    targets.map(({ name }) => name).join('; '),
    state,
    JSON.stringify(data),
    source.kind,
    source.id,
    source.name,
  ]
}

import type { FastifyBaseLogger } from 'fastify'
import type { Secrets } from './auth/secrets.ts'
import type { Database } from './db/database.ts'
import type { NameCounts } from './features/attributes/names/name-counts.ts'
import type { Feed } from './features/events/feed/feed.ts'
import type { Once } from './features/idempotency/once.ts'
import type { RowMeter } from './graphql/cost/row-meter.ts'
import type { Outbound } from './outbound/outbound.ts'
import type { StorageQuotas } from './rate-limits/storage-quotas.ts'
import type { Viewer } from './viewer.ts'

/** What a use case receives, and nothing else. */
export interface Context {
  readonly db: Database
  /** Where a query writes, if `db` is a replica; omitted otherwise. */
  readonly primary?: Database
  readonly viewer: Viewer
  readonly log: FastifyBaseLogger
  readonly clock: () => Date
  /** What `from` counts from. */
  readonly firstRecord: 0 | 1
  /** How many bytes the account may store in a day. */
  readonly storage: Pick<StorageQuotas, 'usage'>
  /** What the client calls the server, scheme, host and port: MUSTER_PUBLIC_URL or the request's own host. */
  readonly origin: string
  /** Signs download links. */
  readonly linkKey: Buffer
  /** Adds up the rows that the operation reads. */
  readonly rowMeter: RowMeter
  /** Counts attribute names. */
  readonly nameCounts: NameCounts
  /** What subscriptions are made from. */
  readonly feed: Feed
  /** Encrypts what access keys sign with. */
  readonly secrets: Secrets
  /** Reaches what users name, and nothing that only the server could. */
  readonly outbound: Outbound
  /** The transaction of a request that came with an Idempotency-Key. */
  readonly once?: Once
}

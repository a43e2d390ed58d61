import type { FastifyBaseLogger } from 'fastify'
import type { Secrets } from './auth/secrets.ts'
import type { Config } from './config.ts'
import type { AccountWorker } from './db/cluster/choose-transaction-worker.ts'
import type { Database } from './db/database.ts'
import type { NameCounts } from './features/attributes/names/count-attribute-names.ts'
import type { Feed } from './features/events/feed/feed.ts'
import type { FacetCache } from './features/facets/facet-cache.ts'
import type { Once } from './features/idempotency/record-created.ts'
import type { DocumentNeeds } from './graphql/access/needed-permissions.ts'
import type { RowMeter } from './graphql/cost/row-meter.ts'
import type { NeedsOptions, OperationRequest, RejectedOperation } from './graphql/prepare-operation.ts'
import type { Mailer } from './mail/background-mailer.ts'
import type { Outbound } from './outbound/outbound-post.ts'
import type { StorageQuotas } from './rate-limits/storage-quotas.ts'
import type { Viewer } from './viewer.ts'

export interface Context {
  readonly db: Database
  /** The database to write to, if `db` is a replica or a cluster worker; omitted otherwise. */
  readonly primary?: Database
  /**
   * Returns the cluster worker that stores the viewer's account, or undefined if it is unavailable. Omitted for
   * queries, for requests with an Idempotency-Key, and if the server uses no workers. A transaction on the worker must
   * get the IDs of its events from the coordinator (`drawEventIds`).
   */
  readonly chooseWorker?: (() => Promise<AccountWorker | undefined>) | undefined
  readonly viewer: Viewer
  readonly log: FastifyBaseLogger
  readonly clock: () => Date
  /** Whether the database is a Citus cluster. */
  readonly isCluster: boolean
  /** The value of the list argument `from` that selects the first record: 0 or 1. */
  readonly firstRecord: 0 | 1
  /** Counts the bytes that an account stores per day, and limits them. */
  readonly storage: Pick<StorageQuotas, 'chargeAccount' | 'usage'>
  /** The server's scheme, host, and port: those of MUSTER_PUBLIC_URL or, if it is not set, of the request. */
  readonly origin: string
  readonly linkKey: Buffer
  /** Counts the rows that the operation reads but does not return. */
  readonly rowMeter: RowMeter
  readonly nameCounts: NameCounts
  readonly facetCache: FacetCache
  readonly feed: Feed
  readonly secrets: Secrets
  /** Sends requests to addresses that users enter. Rejects private addresses that the settings do not allow. */
  readonly outbound: Outbound
  readonly mailer?: Mailer | undefined
  /** The ways in which people can sign in. */
  readonly signIn: Config['signIn']
  /**
   * How long, in milliseconds, a person's personal keys stay valid after the person's last single sign-on. Applies only
   * to people whose membership comes from a single sign-on group. With 0, there is no limit.
   */
  readonly staleMs: number
  /** Returns the permissions that a document needs, or why the document is invalid. */
  readonly needsOf: (request: OperationRequest, options?: NeedsOptions) => DocumentNeeds | RejectedOperation
  /** Records, under the request's Idempotency-Key, what the operation creates. Undefined if this header is missing. */
  readonly once?: Once
}

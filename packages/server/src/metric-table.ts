export interface Metric {
  name: string
  type: 'gauge' | 'counter' | 'histogram'
  /** What the values are told apart by, where there are several. The values of each are few, and none is a client's text. */
  labels?: readonly string[]
  help: string
  /** Upper bounds of a histogram's buckets. */
  buckets?: readonly number[]
  /** What a gauge of several processes comes to; their sum where it is left away. */
  across?: 'sum' | 'max' | 'min'
}

/**
 * The only table of what is measured: docs/reference/metrics.md is made from it. A feature has its value read, or counts, by
 * the key here, in a file `<feature>.metrics.ts` of its own.
 */
export const metricTable = {
  feedLagSeconds: {
    name: 'muster_event_feed_lag_seconds',
    type: 'gauge',
    across: 'max',
    help: 'Age of the oldest event that may be committed and that this process has not handed on to subscriptions and webhooks. A transaction that stays open raises it.',
  },
  feedLagEvents: {
    name: 'muster_event_feed_lag_events',
    type: 'gauge',
    across: 'max',
    help: 'Numbers of events drawn and not handed on yet; those of changes that were rolled back count as well.',
  },
  makerLagSeconds: {
    name: 'muster_webhook_maker_lag_seconds',
    type: 'gauge',
    across: 'max',
    help: 'Age of the oldest event handed on from which no webhook deliveries have been made yet.',
  },
  makerLagEvents: {
    name: 'muster_webhook_maker_lag_events',
    type: 'gauge',
    across: 'max',
    help: 'Numbers of events handed on from which no webhook deliveries have been made yet.',
  },
  deliveries: {
    name: 'muster_webhook_deliveries',
    type: 'gauge',
    labels: ['status'],
    across: 'max',
    help: 'Webhook deliveries in the database that are pending (still to be sent, or to be tried again) or failed; up to 15 seconds old.',
  },
  deliveriesDueSeconds: {
    name: 'muster_webhook_due_seconds',
    type: 'gauge',
    across: 'max',
    help: 'How long the pending delivery that has been due for longest has been so, of webhooks whose receivers are not given up for now; up to 15 seconds old.',
  },
  attempts: {
    name: 'muster_webhook_attempts_total',
    type: 'counter',
    labels: ['outcome'],
    help: 'Attempts of this process to send a delivery: delivered, refused (any status but 200 to 299) or unanswered.',
  },
  attemptSeconds: {
    name: 'muster_webhook_attempt_seconds',
    type: 'histogram',
    help: 'Time from the beginning of an attempt to the end of its answer.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  },
  devicesConnected: {
    name: 'muster_devices_connected',
    type: 'gauge',
    help: 'Devices that hold a connection to this process.',
  },
  mqttConnections: {
    name: 'muster_mqtt_connections',
    type: 'gauge',
    help: 'MQTT connections of this process, those that have not signed on yet included.',
  },
  mqttPublications: {
    name: 'muster_mqtt_publications_total',
    type: 'counter',
    labels: ['kind'],
    help: 'Publications of devices that this process took, by what they told: attributes, serviceState or services.',
  },
  mqttRefusals: {
    name: 'muster_mqtt_refusals_total',
    type: 'counter',
    labels: ['reason'],
    help: 'Connections, sign-ons, publications and subscriptions that this process refused, by the reason that the log gives.',
  },
  processesMissing: {
    name: 'muster_processes_missing',
    type: 'gauge',
    help: 'Server processes of MUSTER_WORKERS that do not answer, or are being started: what they measure by now is not in these metrics, what they have counted is.',
  },
  requests: {
    name: 'muster_requests_total',
    type: 'counter',
    labels: ['operation', 'status', 'code'],
    help: 'Requests that this process answered. The operation is the root field of a GraphQL document, as the schema has it (several where it has more), or the route; status is that of HTTP, code that of the first error (OK: none); 0 and GONE where the client left before the answer.',
  },
  requestSeconds: {
    name: 'muster_request_seconds',
    type: 'histogram',
    labels: ['kind'],
    help: 'Time from the head of a request to the last byte of its answer, by kind: query, mutation, rest, device, sign-in or other; subscriptions and downloads, which last, are left out, and requests that were turned away.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  requestsUnderWay: {
    name: 'muster_requests_under_way',
    type: 'gauge',
    help: 'Requests in flight in this process, without streams: from the last byte of the body to the last byte of the response.',
  },
  requestsShed: {
    name: 'muster_requests_shed_total',
    type: 'counter',
    labels: ['reason'],
    help: 'Requests that this process rejected with 503 because too many were in flight (requests), too many for too long (standing), or the event loop lagged (lag).',
  },
  queuedResponseBytes: {
    name: 'muster_queued_response_bytes',
    type: 'gauge',
    help: 'Bytes of responses of 16 KiB and more that this process has produced and clients have not read yet.',
  },
  rateLimited: {
    name: 'muster_rate_limited_total',
    type: 'counter',
    labels: ['policy'],
    help: 'Times that a quota did not have what this process was to take: points of a user, address, code, or device; device-bytes and account-bytes, which they may store in a day.',
  },
  documents: {
    name: 'muster_documents_total',
    type: 'counter',
    labels: ['found'],
    help: 'GraphQL documents that were looked up: known (parsed and judged before), new or refused.',
  },
  documentCacheBytes: {
    name: 'muster_document_cache_bytes',
    type: 'gauge',
    help: 'Bytes that the cache of documents estimates itself to hold.',
  },
  backupAgeSeconds: {
    name: 'muster_backup_age_seconds',
    type: 'gauge',
    across: 'max',
    help: 'Age of the newest base backup, or of the newest scheduled backup, with MUSTER_ARCHIVE_DIR or MUSTER_BACKUP_EVERY.',
  },
  backupFailing: {
    name: 'muster_backup_failing',
    type: 'gauge',
    across: 'max',
    help: '1 if the last backup of MUSTER_BACKUP_EVERY failed, else 0. The log has the reason.',
  },
  archiveFailing: {
    name: 'muster_archive_failing',
    type: 'gauge',
    across: 'max',
    help: '1 if the write-ahead log cannot be written to MUSTER_ARCHIVE_DIR, else 0. pg.log in MUSTER_DATA has the reason.',
  },
  archivePendingBytes: {
    name: 'muster_archive_pending_bytes',
    type: 'gauge',
    across: 'max',
    help: 'Bytes of finished segments of the write-ahead log that are not in MUSTER_ARCHIVE_DIR yet. They fill the disk of the database until they are archived.',
  },
  databaseConnections: {
    name: 'muster_database_connections',
    type: 'gauge',
    labels: ['pool'],
    help: 'Connections to the database that this process has open, for requests and for work beside them.',
  },
  databaseConnectionsInUse: {
    name: 'muster_database_connections_in_use',
    type: 'gauge',
    labels: ['pool'],
    help: 'Those of them that are doing something, or are held by a transaction.',
  },
  databaseConnectionsMost: {
    name: 'muster_database_connections_most',
    type: 'gauge',
    labels: ['pool'],
    help: 'Connections that the pool may open.',
  },
  databaseWaiting: {
    name: 'muster_database_waiting',
    type: 'gauge',
    labels: ['pool'],
    help: 'Statements and transactions that wait for a connection of the pool.',
  },
  databaseWaitSeconds: {
    name: 'muster_database_wait_seconds',
    type: 'histogram',
    labels: ['pool'],
    help: 'Time for which a statement or transaction waited for a connection, those to which one was free included.',
    buckets: [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  },
  userStatements: {
    name: 'muster_user_statements',
    type: 'gauge',
    labels: ['lane'],
    help: 'Statements and transactions of users in flight, by lane: walking for those that may read every record of an account, quick for all others.',
  },
  userStatementsWaiting: {
    name: 'muster_user_statements_waiting',
    type: 'gauge',
    labels: ['lane'],
    help: 'Statements and transactions of users that wait for their turn, by lane.',
  },
  userStatementsRejected: {
    name: 'muster_user_statements_rejected_total',
    type: 'counter',
    labels: ['reason'],
    help: 'Statements of users that were rejected: too many of the user were waiting (queue), the turn did not come in time (wait), or a walking statement took longer than MUSTER_FILTER_SECONDS (time).',
  },
  listReads: {
    name: 'muster_list_reads_total',
    type: 'counter',
    labels: ['place'],
    help: 'Queries of lists of this process with DATABASE_READ_URL, by place: replica where they were read there; lagging or away where the replica was so, and the primary was read.',
  },
  certificateSeconds: {
    name: 'muster_certificate_seconds',
    type: 'gauge',
    labels: ['port'],
    across: 'min',
    help: 'Time until the certificate ends that this process shows on its port for http or mqtt; below 0 where it has ended.',
  },
  jobs: {
    name: 'muster_jobs',
    type: 'gauge',
    labels: ['state'],
    across: 'max',
    help: 'Jobs in the queue: scheduled for later, ready to run, running, or failed for good; up to 15 seconds old.',
  },
  jobSeconds: {
    name: 'muster_job_seconds',
    type: 'histogram',
    // Not `job`: Prometheus has that for the scrape itself, and would rename this one.
    labels: ['task', 'outcome'],
    help: 'How long jobs ran in this process, by their names and how they ended: done or failed, to be tried again.',
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
  },
} as const satisfies Record<string, Metric>

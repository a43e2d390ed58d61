export interface Metric {
  name: string
  type: 'gauge' | 'counter' | 'histogram'
  /** Names of the labels, if there are several values. Each label has few values, and none comes from a client. */
  labels?: readonly string[]
  help: string
  /** Upper limits of a histogram's buckets. */
  buckets?: readonly number[]
  /** How to combine a gauge of several processes. The default is their sum. */
  across?: 'sum' | 'max' | 'min'
}

/**
 * The only table of metrics; docs/reference/metrics.md is generated from it. Features set or count their values by these keys,
 * each in its `<feature>.metrics.ts`.
 */
export const metricTable = {
  feedLagSeconds: {
    name: 'muster_event_feed_lag_seconds',
    type: 'gauge',
    across: 'max',
    help: 'Age of the oldest event that may be committed and that this process has not yet passed to subscriptions and webhooks. A transaction that stays open raises it.',
  },
  feedLagEvents: {
    name: 'muster_event_feed_lag_events',
    type: 'gauge',
    across: 'max',
    help: 'Event numbers assigned but not yet passed to subscriptions and webhooks, including those of changes that were rolled back.',
  },
  makerLagSeconds: {
    name: 'muster_webhook_maker_lag_seconds',
    type: 'gauge',
    across: 'max',
    help: 'Age of the oldest event for which no webhook deliveries have been created yet.',
  },
  makerLagEvents: {
    name: 'muster_webhook_maker_lag_events',
    type: 'gauge',
    across: 'max',
    help: 'Events for which no webhook deliveries have been created yet.',
  },
  deliveries: {
    name: 'muster_webhook_deliveries',
    type: 'gauge',
    labels: ['status'],
    across: 'max',
    help: 'Webhook deliveries in the database that are pending (not sent yet, or waiting for a retry) or failed; up to 15 seconds old.',
  },
  deliveriesDueSeconds: {
    name: 'muster_webhook_due_seconds',
    type: 'gauge',
    across: 'max',
    help: 'How long the oldest due delivery has been due, for webhooks whose deliveries are not suspended; up to 15 seconds old.',
  },
  attempts: {
    name: 'muster_webhook_attempts_total',
    type: 'counter',
    labels: ['outcome'],
    help: 'Attempts of this process to send a delivery: delivered, refused (a status other than 200 to 299), or unanswered.',
  },
  attemptSeconds: {
    name: 'muster_webhook_attempt_seconds',
    type: 'histogram',
    help: 'Time from the start of an attempt to the end of its response.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  },
  devicesConnected: {
    name: 'muster_devices_connected',
    type: 'gauge',
    help: 'Devices connected to this process.',
  },
  mqttConnections: {
    name: 'muster_mqtt_connections',
    type: 'gauge',
    help: 'MQTT connections of this process, including those that have not authenticated yet.',
  },
  mqttPublications: {
    name: 'muster_mqtt_publications_total',
    type: 'counter',
    labels: ['kind'],
    help: 'Device publications that this process accepted, by content: attributes, serviceState, or services.',
  },
  mqttRefusals: {
    name: 'muster_mqtt_refusals_total',
    type: 'counter',
    labels: ['reason'],
    help: 'Connections, authentications, publications, and subscriptions that this process rejected, by the reason in the log.',
  },
  processesMissing: {
    name: 'muster_processes_missing',
    type: 'gauge',
    help: 'Server processes of MUSTER_WORKERS that are starting or do not respond. These metrics contain their counters so far, but not their current values.',
  },
  httpConnections: {
    name: 'muster_http_connections',
    type: 'gauge',
    help: 'Open HTTP connections of this process, WebSockets excluded.',
  },
  httpConnectionsRejected: {
    name: 'muster_http_connections_rejected_total',
    type: 'counter',
    labels: ['limit'],
    help: 'HTTP connections that this process closed because too many were open: of one address (address) or of all (total).',
  },
  requests: {
    name: 'muster_requests_total',
    type: 'counter',
    labels: ['operation', 'status', 'code'],
    help: 'Requests that this process responded to. The operation is the root field of a GraphQL document (or several fields), or the route. status is the HTTP status; code is that of the first error, or OK. They are 0 and GONE if the client disconnected before the response.',
  },
  requestSeconds: {
    name: 'muster_request_seconds',
    type: 'histogram',
    labels: ['kind'],
    help: 'Time from the headers of a request to the last byte of its response, by kind: query, mutation, rest, device, sign-in, or other. Subscriptions, downloads, and requests rejected by load shedding are not included.',
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
  requestBodyBytes: {
    name: 'muster_request_body_bytes',
    type: 'gauge',
    help: 'Bytes of request bodies above 16 KiB that this process is receiving or processing, as announced by their headers.',
  },
  requestBodiesRejected: {
    name: 'muster_request_bodies_rejected_total',
    type: 'counter',
    labels: ['limit'],
    help: 'Requests with a body above 16 KiB that this process rejected because of such bodies of their address (address, 429) or of all addresses (total, 503).',
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
    help: 'Times that this process found a quota used up: points of a user, address, code, or device; bytes stored per day as device-bytes and account-bytes.',
  },
  documents: {
    name: 'muster_documents_total',
    type: 'counter',
    labels: ['found'],
    help: 'GraphQL documents looked up: known (parsed and validated before), new, or refused.',
  },
  documentCacheBytes: {
    name: 'muster_document_cache_bytes',
    type: 'gauge',
    help: 'Estimated size of the document cache in bytes.',
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
    help: 'Bytes of finished write-ahead log segments that are not in MUSTER_ARCHIVE_DIR yet. They fill the disk of the database until they are archived.',
  },
  databaseConnections: {
    name: 'muster_database_connections',
    type: 'gauge',
    labels: ['pool'],
    help: 'Database connections that this process has open, for requests and for background work.',
  },
  databaseConnectionsInUse: {
    name: 'muster_database_connections_in_use',
    type: 'gauge',
    labels: ['pool'],
    help: 'Database connections that run a statement or belong to an open transaction.',
  },
  databaseConnectionsMost: {
    name: 'muster_database_connections_most',
    type: 'gauge',
    labels: ['pool'],
    help: 'Connections that the pool can open.',
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
    help: 'Time that a statement or transaction waited for a connection, including those that did not have to wait.',
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
    help: 'Statements and transactions of users that wait in the queue, by lane.',
  },
  userStatementsRejected: {
    name: 'muster_user_statements_rejected_total',
    type: 'counter',
    labels: ['reason'],
    help: 'Statements of users that were rejected: too many of the user were waiting (queue), a statement waited too long (wait), or a statement of a query took longer than MUSTER_QUERY_SECONDS (time).',
  },
  listReads: {
    name: 'muster_list_reads_total',
    type: 'counter',
    labels: ['place'],
    help: 'List queries of this process with DATABASE_READ_URL, by place: replica if the replica served it; lagging or away if the primary served it because the replica was behind or unavailable.',
  },
  certificateSeconds: {
    name: 'muster_certificate_seconds',
    type: 'gauge',
    labels: ['port'],
    across: 'min',
    help: "Time until the certificate on this process's http or mqtt port expires; negative if it has expired.",
  },
  jobs: {
    name: 'muster_jobs',
    type: 'gauge',
    labels: ['state'],
    across: 'max',
    help: 'Jobs in the queue: scheduled for later, ready to run, running, or permanently failed; up to 15 seconds old.',
  },
  jobSeconds: {
    name: 'muster_job_seconds',
    type: 'histogram',
    // Not `job`: Prometheus uses that label for the scrape, and would rename this one.
    labels: ['task', 'outcome'],
    help: 'How long jobs ran in this process, by task and outcome: done, or failed (and retried).',
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
  },
} as const satisfies Record<string, Metric>

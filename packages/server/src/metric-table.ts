export interface Metric {
  name: string
  type: 'gauge' | 'counter' | 'histogram'
  /** The labels' names, if the metric has several values. Each label has few values, which clients cannot choose. */
  labels?: readonly string[]
  help: string
  buckets?: readonly number[]
  /** How to combine a gauge's values from several processes. The default is `sum`. */
  across?: 'sum' | 'max' | 'min'
}

/** The only table of metrics. docs/reference/metrics.md is generated from it. */
export const metricTable = {
  feedLagSeconds: {
    name: 'muster_event_feed_lag_seconds',
    type: 'gauge',
    across: 'max',
    help: 'Approximate age of the oldest event that this server may not have passed to subscriptions and webhooks yet. The value excludes events that were written after the last read of the event log, unless that read was more than 2 seconds ago. It grows while an open transaction delays events, or while the server cannot read the event log.',
  },
  feedLagEvents: {
    name: 'muster_event_feed_lag_events',
    type: 'gauge',
    across: 'max',
    help: 'Assigned event IDs that this server has not yet processed for subscriptions and webhooks, including the IDs of changes that were rolled back.',
  },
  fanOutLagSeconds: {
    name: 'muster_webhook_maker_lag_seconds',
    type: 'gauge',
    across: 'max',
    help: 'Age of the oldest event that this server has read from the event log but that no server has processed for webhooks yet. The value is 0 if there is no such event.',
  },
  fanOutLagEvents: {
    name: 'muster_webhook_maker_lag_events',
    type: 'gauge',
    across: 'max',
    help: 'Event IDs that this server has read from the event log but that no server has processed for webhooks yet, including the IDs of changes that were rolled back.',
  },
  deliveries: {
    name: 'muster_webhook_deliveries',
    type: 'gauge',
    labels: ['status'],
    across: 'max',
    help: 'Webhook deliveries in the database, by status: pending (not sent yet, or waiting for a retry) or failed. The value is up to 15 seconds old.',
  },
  deliveriesDueSeconds: {
    name: 'muster_webhook_due_seconds',
    type: 'gauge',
    across: 'max',
    help: 'Time since the oldest pending delivery became due, excluding the deliveries of webhooks that are disabled, paused, or repeatedly failing. The value is 0 if no delivery is due, and is up to 15 seconds old.',
  },
  attempts: {
    name: 'muster_webhook_attempts_total',
    type: 'counter',
    labels: ['outcome'],
    help: 'Attempts by this server to send a delivery, by outcome: delivered, refused (a status other than 200 to 299), or unanswered (no complete response).',
  },
  attemptSeconds: {
    name: 'muster_webhook_attempt_seconds',
    type: 'histogram',
    help: 'Time from the start of an attempt to send a delivery until the response was read or the attempt failed.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  },
  devicesConnected: {
    name: 'muster_devices_connected',
    type: 'gauge',
    help: 'Devices connected to this server over MQTT.',
  },
  mqttConnections: {
    name: 'muster_mqtt_connections',
    type: 'gauge',
    help: 'MQTT connections of this server, including connections that have not authenticated yet.',
  },
  mqttPublications: {
    name: 'muster_mqtt_publications_total',
    type: 'counter',
    labels: ['kind'],
    help: 'MQTT publications that this server accepted from devices, by content: attributes, serviceState, or services.',
  },
  mqttRefusals: {
    name: 'muster_mqtt_refusals_total',
    type: 'counter',
    labels: ['reason'],
    help: 'MQTT connections, authentications, publications, and subscriptions that this server rejected or delayed, by reason (the log field reason).',
  },
  processesMissing: {
    name: 'muster_processes_missing',
    type: 'gauge',
    help: 'Processes of this server (MUSTER_WORKERS) that have exited, are starting, or do not respond. The other muster_ metrics include the last known counters and histograms of these processes, but not their gauges.',
  },
  httpConnections: {
    name: 'muster_http_connections',
    type: 'gauge',
    help: 'Open HTTP connections of this server, excluding WebSockets.',
  },
  httpConnectionsRejected: {
    name: 'muster_http_connections_rejected_total',
    type: 'counter',
    labels: ['limit'],
    help: 'HTTP connections that this server closed because too many were open, by the limit that was reached: for one address (address) or in total (total).',
  },
  requests: {
    name: 'muster_requests_total',
    type: 'counter',
    labels: ['operation', 'status', 'code'],
    help: 'Requests that this server handled, except those in muster_request_bodies_rejected_total. operation is the root field of a GraphQL operation ("several" if the operation has more than one), the route, or "other". status is the HTTP status. code is the error code of the first error, or OK. If the client disconnected before the response, status is 0 and code is GONE.',
  },
  requestSeconds: {
    name: 'muster_request_seconds',
    type: 'histogram',
    labels: ['kind'],
    help: 'Time from the arrival of the headers of a request until the last byte of the response was sent or the client disconnected, by kind of request: query, mutation, rest, device, sign-in, or other. Excludes subscriptions, downloads, and requests that the server rejected because of a limit before their body arrived.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  requestsUnderWay: {
    name: 'muster_requests_under_way',
    type: 'gauge',
    help: 'Requests in flight on this server, excluding streams and requests to /healthz, /readyz, and /metrics. A request is in flight from the last byte of its body to the last byte of its response.',
  },
  requestsShed: {
    name: 'muster_requests_shed_total',
    type: 'counter',
    labels: ['reason'],
    help: 'Requests that this server rejected with 503, by reason: too many requests were in flight at that moment (requests) or for more than two seconds (standing), or the event loop lagged (lag).',
  },
  requestBodyBytes: {
    name: 'muster_request_body_bytes',
    type: 'gauge',
    help: 'Bytes of request bodies above 16 KiB that this server is receiving or processing, according to the header Content-Length. A body without a Content-Length counts as 1 MiB.',
  },
  requestBodiesRejected: {
    name: 'muster_request_bodies_rejected_total',
    type: 'counter',
    labels: ['limit'],
    help: 'Requests with a body above 16 KiB that this server rejected, by the limit on body bytes that was reached: for one address (address, status 429) or in total (total, status 503).',
  },
  queuedResponseBytes: {
    name: 'muster_queued_response_bytes',
    type: 'gauge',
    help: 'Bytes in responses of 16 KiB or more that this server has produced and that clients have not read completely, excluding streamed responses.',
  },
  rateLimited: {
    name: 'muster_rate_limited_total',
    type: 'counter',
    labels: ['policy'],
    help: 'Number of times that a request, a publication, or background work of this server exceeded a quota, by policy. user, key, address, and code are quotas for rate-limit points. device is for reports and publications. device-bytes and account-bytes are for bytes stored per day. A delayed publication can count several times.',
  },
  documents: {
    name: 'muster_documents_total',
    type: 'counter',
    labels: ['found'],
    help: 'GraphQL documents that this server looked up in its document cache, by result: known (valid and in the cache), new (valid and not in the cache), or refused (invalid or too large).',
  },
  documentCacheBytes: {
    name: 'muster_document_cache_bytes',
    type: 'gauge',
    help: 'Estimated size, in bytes, of the cache of GraphQL documents.',
  },
  backupAgeSeconds: {
    name: 'muster_backup_age_seconds',
    type: 'gauge',
    across: 'max',
    help: 'Age of the newest base backup (MUSTER_ARCHIVE_DIR) or scheduled backup (MUSTER_BACKUP_EVERY).',
  },
  backupFailing: {
    name: 'muster_backup_failing',
    type: 'gauge',
    across: 'max',
    help: '1 if the last scheduled backup (MUSTER_BACKUP_EVERY) failed, otherwise 0. The log contains the reason.',
  },
  archiveFailing: {
    name: 'muster_archive_failing',
    type: 'gauge',
    across: 'max',
    help: '1 if the database cannot write its write-ahead log to MUSTER_ARCHIVE_DIR, otherwise 0. pg.log in MUSTER_DATA contains the reason.',
  },
  archivePendingBytes: {
    name: 'muster_archive_pending_bytes',
    type: 'gauge',
    across: 'max',
    help: "Bytes of finished write-ahead log segments that are not in MUSTER_ARCHIVE_DIR yet. They use space on the database's disk until they are archived.",
  },
  databaseConnections: {
    name: 'muster_database_connections',
    type: 'gauge',
    labels: ['pool'],
    help: 'Open database connections of this server, by pool: requests (for requests) or work (for background work). This metric and the other muster_database_ metrics exclude connections to a standby and to workers of a cluster.',
  },
  databaseConnectionsInUse: {
    name: 'muster_database_connections_in_use',
    type: 'gauge',
    labels: ['pool'],
    help: 'Database connections of this server that are not idle, by pool (see muster_database_connections).',
  },
  databaseConnectionsMost: {
    name: 'muster_database_connections_most',
    type: 'gauge',
    labels: ['pool'],
    help: 'Maximum number of database connections of this server, by pool (see muster_database_connections).',
  },
  databaseWaiting: {
    name: 'muster_database_waiting',
    type: 'gauge',
    labels: ['pool'],
    help: 'Statements and transactions that are waiting for a database connection, by pool (see muster_database_connections), excluding those in muster_user_statements_waiting.',
  },
  databaseWaitSeconds: {
    name: 'muster_database_wait_seconds',
    type: 'histogram',
    labels: ['pool'],
    help: "Time that statements and transactions waited for a database connection, by pool (see muster_database_connections). Includes the time in the queue of an account's statements, and counts statements that did not wait.",
    buckets: [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  },
  userStatements: {
    name: 'muster_user_statements',
    type: 'gauge',
    labels: ['lane'],
    help: 'In-flight database statements and transactions of accounts, by lane: walking (they belong to a download, or may read every device or event of an account) or quick (all others). Excludes statements on a standby or on a worker of a cluster.',
  },
  userStatementsWaiting: {
    name: 'muster_user_statements_waiting',
    type: 'gauge',
    labels: ['lane'],
    help: 'Statements and transactions of accounts that are waiting until other statements end, by lane (see muster_user_statements).',
  },
  userStatementsRejected: {
    name: 'muster_user_statements_rejected_total',
    type: 'counter',
    labels: ['reason'],
    help: 'Database statements of accounts that the server rejected or canceled, by reason: too many statements of the account were waiting (queue), the statement waited too long (wait), or it took longer than MUSTER_QUERY_SECONDS or MUSTER_FILTER_SECONDS allows (time). Excludes statements on a standby or on a worker of a cluster.',
  },
  listReads: {
    name: 'muster_list_reads_total',
    type: 'counter',
    labels: ['place'],
    help: 'List queries of this server, by the database that served them. The server counts them only if DATABASE_READ_URL or DATABASE_URLS is set. replica: the standby or a worker of the cluster served the query. lagging: the primary served the query, because the standby was behind or responded too slowly. away: the primary or the coordinator served the query, because the standby or worker was unavailable.',
  },
  certificateSeconds: {
    name: 'muster_certificate_seconds',
    type: 'gauge',
    labels: ['port'],
    across: 'min',
    help: "Time until the TLS certificate of this server's http or mqtt port expires. The value is negative after the certificate has expired.",
  },
  jobs: {
    name: 'muster_jobs',
    type: 'gauge',
    labels: ['state'],
    across: 'max',
    help: 'Background jobs in the database, by state: scheduled (for later), ready (to run), running, or failed (permanently). The value is up to 15 seconds old.',
  },
  jobSeconds: {
    name: 'muster_job_seconds',
    type: 'histogram',
    // The label is not named `job`, because Prometheus adds its own label `job` and would rename this one.
    labels: ['task', 'outcome'],
    help: 'Time that background jobs of this server ran, by task (the name of the job) and by outcome: done or failed.',
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
  },
} as const satisfies Record<string, Metric>

import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { dropKeyUse, dropKeyUseJob, dropNoncesJob, dropSignInsJob } from './auth/auth.jobs.ts'
import { deleteExpiredNonces } from './auth/auth.queries.ts'
import type { Secrets } from './auth/secrets.ts'
import { deleteExpiredSignIns } from './auth/sessions/sign-in/sign-in.queries.ts'
import type { Config } from './config.ts'
import { areFarApart, earlierOf, readClocks } from './db/clocks.ts'
import { createDatabase } from './db/database.ts'
import type { Notifications } from './db/notifications.ts'
import { createPool } from './db/pool/create-pool.ts'
import { watchPool } from './db/pool/instrument-pool.ts'
import { samplePresence, samplePresenceJob } from './features/availability/presence-samples.jobs.ts'
import { dropBulkJobs, dropBulkJobsJob } from './features/bulk/bulk.jobs.ts'
import { type BulkWorker, createBulkWorker } from './features/bulk/run/bulk-worker.ts'
import { sumDeviceCounts, sumDeviceCountsJob } from './features/devices/device-count.jobs.ts'
import type { Feed } from './features/events/feed/feed.ts'
import { keepPartitions, partitionsJob } from './features/events/partition-maintenance.jobs.ts'
import { dropIdempotencyRecords, dropIdempotencyRecordsJob } from './features/idempotency/idempotency.jobs.ts'
import { dropCodesJob } from './features/registration-codes/registration-codes.jobs.ts'
import { sweepRegistrationCodes } from './features/registration-codes/registration-codes.ts'
import { dropExpiredInvitations } from './features/users/invitations/invitations.ts'
import { createWebhookWorker } from './features/webhooks/webhook-worker.ts'
import { dropDeliveriesJob, sweepJob } from './features/webhooks/webhooks.jobs.ts'
import type { Load } from './http/average-load.ts'
import { type CronLine, implementJob, type Job } from './jobs/job.ts'
import { measureJobs, timeJob } from './jobs/jobs.metrics.ts'
import { type JobRunner, migrateJobs, startJobs } from './jobs/runner.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import type { Outbound } from './outbound/outbound-post.ts'
import type { StorageQuotas } from './rate-limits/storage-quotas.ts'
import { traceJob } from './tracing/job-spans.ts'
import type { Tracing } from './tracing/spans.ts'

export interface WorkerDeps {
  config: Config
  connection: pg.PoolConfig
  notifications: Pick<Notifications, 'subscribe'>
  secrets: Secrets
  feed: Feed
  outbound: Outbound
  /** The server charges the changes of bulk jobs to these quotas, as it charges the changes of requests. */
  rateLimits: { storage: Pick<StorageQuotas, 'chargeAccount'> }
  /** The load of requests, which have priority over deliveries and bulk jobs. */
  load?: Load
  metrics?: Metrics
  tracing?: Tracing | undefined
  log: FastifyBaseLogger
  clock?: () => Date
}

export interface Worker {
  start(): Promise<void>
  /** Releases all jobs and locks, so that another server can take over immediately. */
  close(): Promise<void>
}

/**
 * The size of the pool for background work. In a shared pool, requests and background work would wait for each other.
 */
const CONNECTIONS = 5

const crontab: readonly CronLine[] = [
  { job: sweepJob, match: '* * * * *' },
  { job: sumDeviceCountsJob, match: '* * * * *' },
  { job: samplePresenceJob, match: '*/5 * * * *' },
  { job: partitionsJob, match: '7 * * * *' },
  { job: dropNoncesJob, match: '*/10 * * * *' },
  { job: dropSignInsJob, match: '3,13,23,33,43,53 * * * *' },
  { job: dropCodesJob, match: '17 * * * *' },
  { job: dropKeyUseJob, match: '47 * * * *' },
  { job: dropIdempotencyRecordsJob, match: '5,15,25,35,45,55 * * * *' },
  { job: dropDeliveriesJob, match: '27 * * * *' },
  { job: dropBulkJobsJob, match: '37 * * * *' },
]

/** Builds a worker that runs every kind of job, and that starts the jobs in `crontab` on schedule. */
export function buildWorker({
  config,
  connection,
  clock = () => new Date(),
  load = { isHigh: () => false },
  metrics = createMetrics(),
  tracing,
  rateLimits,
  ...deps
}: WorkerDeps): Worker {
  const { log } = deps
  const { statementTimeout, databaseSilence: responseTimeout } = config
  const pool = createPool({ connection, size: CONNECTIONS, statementTimeout, responseTimeout })
  // The queue requires an error listener on each connection. The listener does nothing, because the next query reports
  // a broken connection.
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = createDatabase(pool, watchPool(pool, 'work', { metrics, tracing }))
  const webhooks = createWebhookWorker({ ...deps, db, clock, load, metrics, schedule: config.webhookRetries })
  measureJobs(metrics, db)
  /** Returns the earlier of the server's and the database's time, because both must agree that a record has expired. */
  const earlierTime = async (): Promise<Date> => earlierOf(await readClocks(db, clock()))
  const jobs: Job[] = [
    ...webhooks.jobs,
    implementJob(partitionsJob, async () => {
      const clocks = await readClocks(db, clock())
      if (areFarApart(clocks))
        log.warn(
          { machine: clocks.here, database: clocks.database },
          'the clocks of this machine and of the database differ by more than a day: correct them',
        )
      const dropped = await keepPartitions(db, { clocks, retention: config.eventRetention })
      if (dropped.length > 0) log.info({ partitions: dropped }, 'dropped partitions of expired events')
    }),
    implementJob(dropBulkJobsJob, async () => dropBulkJobs(db, await earlierTime())),
    implementJob(sumDeviceCountsJob, () => sumDeviceCounts(db)),
    implementJob(dropNoncesJob, () => deleteExpiredNonces(db, clock())),
    implementJob(dropSignInsJob, async () => {
      const now = await earlierTime()
      await deleteExpiredSignIns(db, now)
      await dropExpiredInvitations(db, now)
    }),
    implementJob(dropKeyUseJob, async () => dropKeyUse(db, await earlierTime())),
    implementJob(dropCodesJob, async () => void (await sweepRegistrationCodes(db, await earlierTime()))),
    implementJob(samplePresenceJob, async () => samplePresence(db, (await readClocks(db, clock())).database)),
    implementJob(dropIdempotencyRecordsJob, async () => dropIdempotencyRecords(db, await earlierTime())),
  ]
  const timed = jobs.map(timeJob(metrics))
  const watched = tracing === undefined ? timed : timed.map((job) => traceJob(tracing, job))
  let runner: JobRunner | undefined
  let bulk: BulkWorker | undefined
  return {
    async start() {
      await migrateJobs(db, pool, log)
      webhooks.start()
      bulk = createBulkWorker({
        ...{ db, load, log, clock, secrets: deps.secrets },
        staleMs: config.oidcStale,
        charge: rateLimits.storage.chargeAccount,
      })
      runner = await startJobs({ db, pool, jobs: watched, crontab, log })
    },
    async close() {
      await webhooks.close()
      await bulk?.close()
      await runner?.stop()
      await db.destroy()
    },
  }
}

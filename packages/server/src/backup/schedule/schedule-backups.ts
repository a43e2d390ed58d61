import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { countPendingBytes } from '../../db/embedded/archive/pending-wal.ts'
import { BackupError } from '../backup-error.ts'
import type { BackupSummary } from '../backup-summary.ts'
import { selectArchiveFailure } from '../base/base-backup.queries.ts'
import type { BackupConfig, BackupKind } from './backup-kind.ts'
import { baseBackups } from './base-backups.ts'
import { fileBackups } from './file-backups.ts'
import { type ArchiveStatus, type BackupStatus, removeStatus, writeStatus } from './status-file.ts'

export interface BackupsOptions {
  config: BackupConfig
  connection: pg.PoolConfig
  log: FastifyBaseLogger
  /** Called after each successful backup. Must not reject. */
  onBackup: (backup: BackupSummary) => Promise<void>
}

const CHECK_EVERY_MS = 10_000
const MAX_RETRY_DELAY_MS = 15 * 60_000
/** The minimum interval, in milliseconds, between two log messages about the same failure of archiving. */
const REMIND_MS = 3_600_000

/** Monitors the archive and writes scheduled backups, as the settings require, until `close` is called. */
export async function scheduleBackups(options: BackupsOptions): Promise<{ close(): Promise<void> }> {
  const { config, log } = options
  if (config.archiveFolder === undefined && config.backupEvery === undefined) {
    // An earlier run with other settings may have left a status file.
    await removeStatus(config.dataFolder).catch(() => {})
    return { close: async () => {} }
  }
  const stopping = new AbortController()
  const { signal } = stopping
  const running = watch(options, signal).catch((error: unknown) => {
    if (!signal.aborted)
      log.error(
        { err: error },
        'the task that writes scheduled backups and monitors the archive has stopped: restart the server',
      )
  })
  return {
    async close() {
      stopping.abort()
      await running
    },
  }
}

const kindOf = (config: BackupConfig, connection: pg.PoolConfig): BackupKind =>
  config.archiveFolder === undefined
    ? fileBackups(config, connection)
    : baseBackups(config, config.archiveFolder, connection)

async function watch({ config, connection, log, onBackup }: BackupsOptions, signal: AbortSignal): Promise<void> {
  const { backupEvery: every } = config
  const kind = kindOf(config, connection)
  const reportArchive = archiveReporter(log, config.archiveFolder)
  let failure: BackupStatus['failure'] = null
  let retryAt = 0
  let backup: Promise<void> | undefined

  const backUp = async (): Promise<void> => {
    retryAt = Date.now() + Math.min(every! / 10, MAX_RETRY_DELAY_MS)
    try {
      const { path, summary } = await kind.write(signal)
      failure = null
      log.info({ backup: path }, 'wrote a backup')
      await onBackup(summary)
    } catch (error) {
      // If another process is writing a backup or this server is stopping, the attempt does not count as failed.
      if (signal.aborted || (error instanceof BackupError && error.reason === 'busy')) return
      failure = { at: new Date().toISOString(), message: (error as Error).message }
      log.error({ err: error, folder: kind.folder }, 'the scheduled backup failed')
    }
  }

  while (!signal.aborted) {
    let newest: Date | undefined
    try {
      newest = await kind.newest().catch(() => undefined)
      const archive = config.archiveFolder === undefined ? null : await checkArchive(config.dataFolder, connection)
      if (archive !== null) reportArchive(archive)
      const status = { checked: new Date().toISOString(), folder: kind.folder, everyMs: every ?? null }
      await writeStatus(config.dataFolder, { ...status, newest: newest?.toISOString() ?? null, failure, archive })
    } catch (error) {
      log.warn({ err: error }, 'cannot check the archive or record the status of backups')
    }
    const due = every === undefined ? Number.POSITIVE_INFINITY : Math.max(retryAt, (newest?.getTime() ?? 0) + every)
    if (backup === undefined && due <= Date.now()) {
      backup = backUp().finally(() => {
        backup = undefined
      })
    }
    const delay = backup === undefined ? Math.min(CHECK_EVERY_MS, Math.max(100, due - Date.now())) : CHECK_EVERY_MS
    await Promise.race([sleep(delay, undefined, { signal }).catch(() => {}), backup ?? new Promise(() => {})])
  }
  await backup
}

async function checkArchive(dataFolder: string, connection: pg.PoolConfig): Promise<ArchiveStatus> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000, query_timeout: 10_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    const failing = await selectArchiveFailure(client)
    return { failingSince: failing?.toISOString() ?? null, pendingBytes: await countPendingBytes(dataFolder) }
  } finally {
    await client.end().catch(() => {})
  }
}

function archiveReporter(log: FastifyBaseLogger, archive: string | undefined) {
  let remindAt: number | undefined
  return ({ failingSince, pendingBytes }: ArchiveStatus): void => {
    if (failingSince === null) {
      if (remindAt !== undefined) log.info({ archive }, 'the write-ahead log can be archived again')
      remindAt = undefined
    } else if (remindAt === undefined || Date.now() > remindAt) {
      remindAt = Date.now() + REMIND_MS
      log.error(
        { archive, failingSince, pendingBytes },
        "the write-ahead log cannot be archived and fills the database's disk; see pg.log for the reason",
      )
    }
  }
}

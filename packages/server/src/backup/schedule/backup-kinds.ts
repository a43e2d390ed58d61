import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { Config } from '../../config.ts'
import { createPool } from '../../db/database.ts'
import { BackupError } from '../backup-error.ts'
import { type BackupSummary, summarizeBase, summarizeFile } from '../backup-summary.ts'
import { tryBackupLock } from '../base/base-backup.queries.ts'
import { listBaseBackups } from '../base/manifest.ts'
import { writeBaseBackup } from '../base/write-base-backup.ts'
import { writeBackup } from '../write-backup.ts'

export interface PlacedBackup {
  path: string
  summary: BackupSummary
}

export interface BackupKind {
  folder: string
  newest(): Promise<Date | undefined>
  /** Writes a backup, then removes the oldest backups beyond MUSTER_BACKUP_KEEP. */
  write(signal: AbortSignal): Promise<PlacedBackup>
}

export type BackupConfig = Pick<
  Config,
  'dataFolder' | 'archiveFolder' | 'backupEvery' | 'backupKeep' | 'backupFolder' | 'backupRate'
>

export const kindOf = (config: BackupConfig, connection: pg.PoolConfig): BackupKind =>
  config.archiveFolder === undefined
    ? fileBackups(config, connection)
    : baseBackups(config, config.archiveFolder, connection)

function baseBackups(config: BackupConfig, archive: string, connection: pg.PoolConfig): BackupKind {
  const { dataFolder, backupKeep: keep, backupRate: rate } = config
  return {
    folder: archive,
    async newest() {
      const newest = (await listBaseBackups(archive)).at(-1)
      return newest && new Date(newest.manifest.ended)
    },
    async write(signal) {
      const backup = await writeBaseBackup({
        connection: connection as pg.ClientConfig,
        dataFolder,
        archive,
        keep,
        rate,
        // The first backup should exist soon. For later backups, PostgreSQL spreads the checkpoint over minutes to
        // avoid slowing down requests.
        fast: (await this.newest()) === undefined,
        signal,
      })
      return { path: backup.folder, summary: summarizeBase(backup) }
    },
  }
}

const namePattern = /^muster-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/
const leftover = /^muster-\d{8}T\d{6}Z\.backup\.[0-9a-f]+\.tmp$/

const nameAt = (moment: Date): string => `muster-${moment.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup`

function fileBackups(config: BackupConfig, connection: pg.PoolConfig): BackupKind {
  const folder = config.backupFolder ?? join(config.dataFolder, 'backups')
  /** Ignores other files in the folder. */
  const list = async (): Promise<string[]> => (await namesIn(folder)).filter((name) => namePattern.test(name)).sort()
  return {
    folder,
    async newest() {
      const name = (await list()).at(-1)
      return name === undefined ? undefined : new Date(name.replace(namePattern, '$1-$2-$3T$4:$5:$6Z'))
    },
    async write(signal) {
      const pool = createPool({ connection, size: 2, statementTimeout: 0 })
      try {
        const placed = await underLock(pool, async () => {
          await mkdir(folder, { recursive: true, mode: 0o700 })
          for (const name of await namesIn(folder))
            if (leftover.test(name)) await rm(join(folder, name), { force: true })
          const written = join(folder, nameAt(new Date()))
          const backup = await writeBackup({ pool, file: written, rate: config.backupRate, signal })
          return { path: written, summary: summarizeFile(written, backup) }
        })
        const names = await list()
        const old = names.slice(0, Math.max(0, names.length - config.backupKeep))
        for (const name of old) await rm(join(folder, name), { force: true })
        return placed
      } finally {
        await pool.end()
      }
    },
  }
}

async function underLock<Result>(pool: pg.Pool, work: () => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  try {
    if (!(await tryBackupLock(client))) throw new BackupError('busy', 'Another backup is running: wait until it ends.')
    return await work()
  } finally {
    // Closing the connection releases the lock.
    client.release(true)
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

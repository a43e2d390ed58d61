import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { createPool } from '../../db/pool/create-pool.ts'
import { noneIfMissing } from '../../lib/none-if-missing.ts'
import { BackupError } from '../backup-error.ts'
import { summarizeFile } from '../backup-summary.ts'
import { tryBackupLock } from '../base/base-backup.queries.ts'
import { writeBackup } from '../write-backup.ts'
import type { BackupConfig, BackupKind } from './backup-kind.ts'

const namePattern = /^muster-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/
const leftover = /^muster-\d{8}T\d{6}Z\.backup\.[0-9a-f]+\.tmp$/

const nameAt = (moment: Date): string => `muster-${moment.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup`

export function fileBackups(config: BackupConfig, connection: pg.PoolConfig): BackupKind {
  const folder = config.backupFolder ?? join(config.dataFolder, 'backups')
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
    if (!(await tryBackupLock(client)))
      throw new BackupError('busy', 'Another backup is running: try again when it has ended.')
    return await work()
  } finally {
    // Closing the connection releases the lock.
    client.release(true)
  }
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(noneIfMissing)

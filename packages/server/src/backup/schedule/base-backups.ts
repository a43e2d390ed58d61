import type pg from 'pg'
import { summarizeBase } from '../backup-summary.ts'
import { listBaseBackups } from '../base/manifest.ts'
import { writeBaseBackup } from '../base/write-base-backup.ts'
import type { BackupConfig, BackupKind } from './backup-kind.ts'

export function baseBackups(config: BackupConfig, archive: string, connection: pg.PoolConfig): BackupKind {
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
        // A backup begins with a checkpoint. For the first backup, PostgreSQL writes the checkpoint at once, so that a
        // backup exists soon. For later backups, PostgreSQL spreads the checkpoint over minutes, so that requests do
        // not slow down.
        fast: (await this.newest()) === undefined,
        signal,
      })
      return { path: backup.folder, summary: summarizeBase(backup) }
    },
  }
}

import type { Config } from '../../config.ts'
import type { BackupSummary } from '../backup-summary.ts'

export interface BackupKind {
  folder: string
  newest(): Promise<Date | undefined>
  /** Writes a backup, and then removes all but the newest MUSTER_BACKUP_KEEP backups. */
  write(signal: AbortSignal): Promise<{ path: string; summary: BackupSummary }>
}

export type BackupConfig = Pick<
  Config,
  'dataFolder' | 'archiveFolder' | 'backupEvery' | 'backupKeep' | 'backupFolder' | 'backupRate'
>

import type { BackupSummary } from '@muster/server/backup/backup-summary.ts'
import { type RecordDeps, recordInstallationEvent } from '@muster/server/features/users/record-installation-event.ts'

export const recordBackup = (deps: RecordDeps, backup: BackupSummary): Promise<void> =>
  recordInstallationEvent(deps, { type: 'BACKUP_CREATE', data: { ...backup, scheduled: false } })

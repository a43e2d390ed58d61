import { basename } from 'node:path'
import type { BaseBackup } from './base/manifest.ts'
import type { WrittenBackup } from './write-backup.ts'

export interface BackupSummary {
  kind: 'file' | 'base'
  name: string
  created: string
  bytes: number
}

export const summarizeFile = (
  file: string,
  { created, bytes }: Pick<WrittenBackup, 'created' | 'bytes'>,
): BackupSummary => ({ kind: 'file', name: basename(file), created, bytes })

export const summarizeBase = ({ name, manifest: { ended, bytes } }: BaseBackup): BackupSummary => ({
  kind: 'base',
  name,
  created: ended,
  bytes,
})

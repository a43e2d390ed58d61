import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replacePrivateFile } from '../../lib/private-file.ts'
import { readIfExists } from '../../lib/read-if-exists.ts'

/** The last known state of a server's archive and backups. Times are ISO 8601 strings. */
export interface BackupStatus {
  checked: string
  folder: string
  everyMs: number | null
  newest: string | null
  /** The last scheduled backup that failed. Null if a later one succeeded, or if none has failed since the start. */
  failure: { at: string; message: string } | null
  /** The archive's state, or null if the write-ahead log is not archived. */
  archive: ArchiveStatus | null
}

export interface ArchiveStatus {
  /** The time since which archiving has been failing, or null if archiving works. */
  failingSince: string | null
  /** The size, in bytes, of the finished write-ahead log segments that are not in the archive yet. */
  pendingBytes: number
}

const statusFile = (dataFolder: string): string => join(dataFolder, 'backup-status.json')

export const writeStatus = (dataFolder: string, status: BackupStatus): Promise<void> =>
  replacePrivateFile(statusFile(dataFolder), `${JSON.stringify(status)}\n`)

export const removeStatus = (dataFolder: string): Promise<void> => rm(statusFile(dataFolder), { force: true })

export async function readStatus(dataFolder: string): Promise<BackupStatus | undefined> {
  const text = await readIfExists(statusFile(dataFolder))
  return text === undefined ? undefined : (JSON.parse(text) as BackupStatus)
}

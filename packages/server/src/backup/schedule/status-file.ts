import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replacePrivateFile } from '../../lib/private-file.ts'

/** What a server last saw of its archive and backups. Moments are in ISO 8601, time spans in milliseconds. */
export interface BackupStatus {
  /** When this was written. */
  checked: string
  /** Where the backups are. */
  folder: string
  /** Null: there is no schedule. */
  everyMs: number | null
  newest: string | null
  /** Of the last scheduled backup, if it failed. */
  failure: { at: string; message: string } | null
  /** Null where the write-ahead log is not archived. */
  archive: ArchiveStatus | null
}

export interface ArchiveStatus {
  /** Since when no file could be archived. */
  failingSince: string | null
  /** Bytes of finished segments of the write-ahead log that are not in the archive yet. */
  pendingBytes: number
}

export const statusFile = (dataFolder: string): string => join(dataFolder, 'backup-status.json')

export const writeStatus = (dataFolder: string, status: BackupStatus): Promise<void> =>
  replacePrivateFile(statusFile(dataFolder), `${JSON.stringify(status)}\n`)

export const removeStatus = (dataFolder: string): Promise<void> => rm(statusFile(dataFolder), { force: true })

/** Undefined where the server neither archives nor backs up by schedule. */
export async function readStatus(dataFolder: string): Promise<BackupStatus | undefined> {
  try {
    return JSON.parse(await readFile(statusFile(dataFolder), 'utf8')) as BackupStatus
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

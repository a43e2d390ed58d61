import type { Metrics } from '../../metrics.ts'
import { type BackupStatus, readStatus } from './status-file.ts'

const CACHE_MS = 5_000

/** Every server process that uses the data folder can report these metrics, because they come from the status file. */
export function measureBackups(metrics: Metrics, { dataFolder }: { dataFolder: string }): void {
  const read = (value: (status: BackupStatus) => number | undefined) => async (): Promise<number | undefined> => {
    const status = await readStatus(dataFolder)
    return status && value(status)
  }
  metrics.gauge(
    'backupAgeSeconds',
    read(({ newest }) => (newest === null ? undefined : Math.round((Date.now() - Date.parse(newest)) / 1_000))),
    CACHE_MS,
  )
  metrics.gauge(
    'backupFailing',
    read(({ everyMs, failure }) => (everyMs === null ? undefined : Number(failure !== null))),
    CACHE_MS,
  )
  metrics.gauge(
    'archiveFailing',
    read(({ archive }) => (archive === null ? undefined : Number(archive.failingSince !== null))),
    CACHE_MS,
  )
  metrics.gauge(
    'archivePendingBytes',
    read(({ archive }) => archive?.pendingBytes),
    CACHE_MS,
  )
}

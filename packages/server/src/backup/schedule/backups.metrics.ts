import type { Metrics } from '../../metrics.ts'
import { type BackupStatus, readStatus } from './status-file.ts'

const KEPT_MS = 5_000

/** Any process can report: all read what the one that keeps the backups wrote. */
export function measureBackups(metrics: Metrics, { dataFolder }: { dataFolder: string }): void {
  const read = (value: (status: BackupStatus) => number | undefined) => async (): Promise<number | undefined> => {
    const status = await readStatus(dataFolder)
    return status && value(status)
  }
  metrics.gauge(
    'backupAgeSeconds',
    read(({ newest }) => (newest === null ? undefined : Math.round((Date.now() - Date.parse(newest)) / 1_000))),
    KEPT_MS,
  )
  metrics.gauge(
    'backupFailing',
    read(({ everyMs, failure }) => (everyMs === null ? undefined : Number(failure !== null))),
    KEPT_MS,
  )
  metrics.gauge(
    'archiveFailing',
    read(({ archive }) => (archive === null ? undefined : Number(archive.failingSince !== null))),
    KEPT_MS,
  )
  metrics.gauge(
    'archivePendingBytes',
    read(({ archive }) => archive?.pendingBytes),
    KEPT_MS,
  )
}

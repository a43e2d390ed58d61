import { summarizeBase } from '@muster/server/backup/backup-summary.ts'
import { type BaseBackup, listBaseBackups, storedBytes } from '@muster/server/backup/base/manifest.ts'
import { findRecoverable, mergeRanges } from '@muster/server/backup/base/recovery-ranges.ts'
import { writeBaseBackup } from '@muster/server/backup/base/write-base-backup.ts'
import { withDatabase } from '../installation/open-database.ts'
import type { Column } from '../output/column.ts'
import { printList } from '../output/print-list.ts'
import { readArchive } from './archive-setting.ts'
import { recordBackup } from './record-backup.ts'
import { withProgress } from './with-progress.ts'

interface Options {
  json: boolean
}

export async function takeBaseBackup({ json }: Options): Promise<void> {
  const { archive } = readArchive()
  const backup = await withProgress({ quiet: json }, (watch) =>
    withDatabase(
      async (database) => {
        const { connection, config } = database
        const { dataFolder, backupKeep: keep, backupRate: rate } = config
        const written = await writeBaseBackup({ connection, dataFolder, archive, keep, rate, fast: true, ...watch })
        await recordBackup(database, summarizeBase(written))
        return written
      },
      { mustExist: true },
    ),
  )
  const { name, folder, manifest, removed } = backup
  const stored = await storedBytes(backup)
  if (json) {
    const { ended, bytes } = manifest
    return console.log(JSON.stringify({ name, folder, ended, bytes, stored, removed }))
  }
  console.log(
    `${folder}: database size ${mebibytes(manifest.bytes)}, backup size ${mebibytes(stored)}, as of ${manifest.ended}`,
  )
  for (const old of removed) console.log(`Removed ${old}`)
}

export async function printBaseBackups({ json }: Options): Promise<void> {
  const { archive } = readArchive()
  const { timeline, ranges } = await findRecoverable(archive)
  const backups = await Promise.all((await listBaseBackups(archive)).map(describeBackup))
  const recoverable = mergeRanges(ranges)
  if (json) return console.log(JSON.stringify({ archive, timeline, backups, recoverable }))
  await printList({ items: backups, columns, options: {}, empty: 'No base backups found.' })
  for (const { from, until } of recoverable) {
    console.log(`Restorable: from ${from.toISOString()} to ${until.toISOString()}`)
  }
}

type Row = Awaited<ReturnType<typeof describeBackup>>

const columns: readonly Column<Row>[] = [
  { name: 'name', value: ({ name }) => name },
  { name: 'ended', value: ({ ended }) => ended },
  { name: 'database', value: ({ bytes }) => mebibytes(bytes) },
  { name: 'stored', value: ({ stored }) => mebibytes(stored) },
]

const describeBackup = async (backup: BaseBackup) => ({
  name: backup.name,
  ended: backup.manifest.ended,
  timeline: backup.manifest.timeline,
  bytes: backup.manifest.bytes,
  stored: await storedBytes(backup),
})

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

import { resolve } from 'node:path'
import type { Command } from 'commander'
import { usageError } from '../errors/cli-error.ts'
import { newCommand } from '../options/new-command.ts'

interface Options {
  json?: boolean
  base?: boolean
  list?: boolean
}

export function buildCommand(): Command {
  return newCommand('backup')
    .description(`Back up the database while servers run. The command takes two kinds of backups.

With a file name, the command writes a consistent snapshot of the whole database to a new file that only you can read.
It connects to the database in DATABASE_URL or, by default, to the embedded database in MUSTER_DATA, whether or not a
server is running.

With --base, the command copies the files of the embedded database to MUSTER_ARCHIVE_DIR. From these files and the
archived write-ahead log, "muster restore --to" can restore the database to any later time. MUSTER_BACKUP_KEEP sets the
number of base backups to keep.

Backups do not contain the master key. Keep a copy of the key in another place.`)
    .argument('[file]', 'path of the new backup file')
    .option('--base', 'take a base backup for point-in-time recovery')
    .option('--list', 'list base backups and the times to which you can restore the database')
    .action(run)
}

async function run(path: string | undefined, { json = false, base = false, list = false }: Options): Promise<void> {
  if ([path !== undefined, base, list].filter(Boolean).length !== 1) {
    throw usageError('pass exactly one of these: the path of a new backup file, --base, or --list')
  }
  const loadBaseBackup = () => import('../backup/base-backups.ts')
  if (base) return (await loadBaseBackup()).takeBaseBackup({ json })
  if (list) return (await loadBaseBackup()).printBaseBackups({ json })
  return writeFile(resolve(path!), json)
}

async function writeFile(file: string, json: boolean): Promise<void> {
  const [{ withDatabase }, { writeBackup }, { summarizeFile }, { recordBackup }, { countRows, withProgress }] =
    await Promise.all([
      import('../installation/open-database.ts'),
      import('@muster/server/backup/write-backup.ts'),
      import('@muster/server/backup/backup-summary.ts'),
      import('../backup/record-backup.ts'),
      import('../backup/with-progress.ts'),
    ])
  const { created, rows, bytes } = await withProgress({ quiet: json }, (watch) =>
    withDatabase(
      async (database) => {
        const written = await writeBackup({ pool: database.pool, file, ...watch })
        await recordBackup(database, summarizeFile(file, written))
        return written
      },
      { mustExist: true },
    ),
  )
  if (json) return console.log(JSON.stringify({ file, created, bytes, rows }))
  console.log(`${file}: ${countRows(rows)}, ${bytes} bytes, as of ${created}`)
}

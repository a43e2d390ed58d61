import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { usageError } from '../cli-error.ts'
import { newCommand, prose, wholeNumber } from '../new-command.ts'

interface Options {
  json?: boolean
  withoutKey?: boolean
  to?: Date | 'latest'
  from?: string
  replace?: boolean
  timeline?: number
}

export function restoreCommand(): Command {
  return newCommand('restore', 'restore the database from a backup')
    .description(
      prose(`Restores the database. There are two kinds.

With a file of "muster backup": fills an empty database from it, all of it or nothing, and migrates it to this release.
Works on DATABASE_URL, else on the database in MUSTER_DATA, which is created.

With --to: restores the embedded database to a moment, from the base backups and the write-ahead log in
MUSTER_ARCHIVE_DIR. Everything that was committed up to that moment is there, and nothing after it. MUSTER_DATA must
have no database, or give --replace. The server must be stopped.

The master key must be there as the server will have it: $MUSTER_DATA/master.key or MUSTER_MASTER_KEY.`),
    )
    .argument('[file]', 'the backup')
    .option('--to <time>', 'moment such as 2026-11-22T14:30:00Z, or latest', targetOf)
    .option('--from <folder>', 'archive to restore from (default: MUSTER_ARCHIVE_DIR)')
    .option('--replace', 'keep the database that is in MUSTER_DATA under another name')
    .addOption(
      new Option('--timeline <number>', 'history to follow after earlier restores (default: the newest)').argParser(
        wholeNumber(1, 0xffff_ffff),
      ),
    )
    .option('--without-key', 'restore without the master key; no server starts until it is there')
    .action(run)
}

/** A moment without a zone would depend on where the command runs. */
function targetOf(text: string): Date | 'latest' {
  if (text === 'latest') return text
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text)
  const date = new Date(text)
  if (isWhole && !Number.isNaN(date.getTime())) return date
  throw new InvalidArgumentError('It must be a time with its zone, such as 2026-11-22T14:30:00Z, or latest.')
}

async function run(path: string | undefined, options: Options): Promise<void> {
  const { to, from, replace, timeline, json = false, withoutKey = false } = options
  if ((path === undefined) === (to === undefined)) throw usageError('give a file, or --to with a time')
  if (to !== undefined) {
    const { restoreToMoment } = await import('../backup/restore-to.ts')
    return restoreToMoment({ to, from, replace, timeline, json, withoutKey })
  }
  if (from !== undefined || replace !== undefined || timeline !== undefined)
    throw usageError('--from, --replace and --timeline belong to --to')
  return restoreFile(resolve(path!), { json, withoutKey })
}

async function restoreFile(file: string, { json, withoutKey }: { json: boolean; withoutKey: boolean }): Promise<void> {
  const [{ withDatabase }, { restoreBackup }, { countRows, withProgress }] = await Promise.all([
    import('../local-database.ts'),
    import('@muster/server/backup/restore-backup.ts'),
    import('../backup/with-progress.ts'),
  ])
  const { created, rows, migrations } = await withProgress({ quiet: json }, (watch) =>
    withDatabase(({ db, pool, config }) => restoreBackup({ db, pool, config, file, withoutKey, ...watch })),
  )
  if (json) return console.log(JSON.stringify({ file, created, rows, migrations }))
  console.log(`${file}: ${countRows(rows)}, as of ${created}`)
  if (migrations.length > 0) console.log(`Migrated to this release: ${migrations.join(', ')}`)
}

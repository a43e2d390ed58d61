import { basename, resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { usageError } from '../errors/cli-error.ts'
import { isDay } from '../options/moment.ts'
import { newCommand } from '../options/new-command.ts'
import { wholeNumber } from '../options/option-values.ts'

interface Options {
  json?: boolean
  withoutKey?: boolean
  to?: Date | 'latest'
  from?: string
  replace?: boolean
  timeline?: number
}

export function buildCommand(): Command {
  return newCommand('restore')
    .description(`Restore the database from a backup file or to a point in time.

With a file from "muster backup", the command restores the backup to an empty database, and migrates the database to
this release. It restores either the whole backup or nothing. It uses the empty database in DATABASE_URL or, by default,
creates the embedded database in MUSTER_DATA.

With --to, the command restores the embedded database to a point in time from the base backups and the write-ahead log
in MUSTER_ARCHIVE_DIR. The restored database contains everything committed up to that time and nothing committed later.
Stop the server first. MUSTER_DATA must not contain a database unless you pass --replace.

Unless you pass --without-key, the master key must be in $MUSTER_DATA/master.key or MUSTER_MASTER_KEY, as for the
server.`)
    .argument('[file]', 'backup file')
    .option('--to <time>', 'point in time, such as 2026-11-22T14:30:00Z, or "latest"', targetOf)
    .option('--from <folder>', 'archive to restore from (default: MUSTER_ARCHIVE_DIR)')
    .option('--replace', 'rename an existing database in MUSTER_DATA instead of failing')
    .addOption(
      new Option(
        '--timeline <number>',
        'number of the timeline to restore; each restore with --to starts a new timeline (default: the newest)',
      ).argParser(wholeNumber(1, 0xffff_ffff)),
    )
    .option('--without-key', 'restore without the master key; servers cannot start until the key is present')
    .action(run)
}

/** Requires a time zone, because local time would depend on where the command runs. */
function targetOf(text: string): Date | 'latest' {
  if (text === 'latest') return text
  const [, day] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? []
  const date = new Date(text)
  if (day !== undefined && isDay(day) && !Number.isNaN(date.getTime())) return date
  throw new InvalidArgumentError('Expected a date and time with a time zone, such as 2026-11-22T14:30Z, or "latest".')
}

async function run(path: string | undefined, options: Options): Promise<void> {
  const { to, from, replace, timeline, json = false, withoutKey = false } = options
  if ((path === undefined) === (to === undefined)) throw usageError('pass either the path of a backup file or --to')
  if (to !== undefined) {
    const { restoreToMoment } = await import('../backup/restore-to.ts')
    return restoreToMoment({ to, from, replace, timeline, json, withoutKey })
  }
  if (from !== undefined || replace !== undefined || timeline !== undefined)
    throw usageError('--from, --replace, and --timeline require --to')
  return restoreFile(resolve(path!), { json, withoutKey })
}

async function restoreFile(file: string, { json, withoutKey }: { json: boolean; withoutKey: boolean }): Promise<void> {
  const [{ withDatabase }, { restoreBackup }, { recordInstallationEvent }, { countRows, withProgress }] =
    await Promise.all([
      import('../installation/open-database.ts'),
      import('@muster/server/backup/restore-backup.ts'),
      import('@muster/server/features/users/record-installation-event.ts'),
      import('../backup/with-progress.ts'),
    ])
  const { created, rows, migrations } = await withProgress({ quiet: json }, (watch) =>
    withDatabase(async (database) => {
      const { db, pool, config } = database
      const done = await restoreBackup({ db, pool, config, file, withoutKey, ...watch })
      const data = { kind: 'file', name: basename(file), created: done.created }
      await recordInstallationEvent(database, { type: 'BACKUP_RESTORE', data })
      return done
    }),
  )
  if (json) return console.log(JSON.stringify({ file, created, rows, migrations }))
  console.log(`${file}: restored ${countRows(rows)}, as of ${created}`)
  if (migrations.length > 0) console.log(`Applied migrations: ${migrations.join(', ')}`)
}

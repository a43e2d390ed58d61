import { resolve } from 'node:path'
import type { Command } from 'commander'
import { newCommand, prose } from '../new-command.ts'

interface Options {
  json?: boolean
  withoutKey?: boolean
}

export function restoreCommand(): Command {
  return newCommand('restore', 'fill an empty database from a backup')
    .description(
      prose(`Fills an empty database from a file of "muster backup", all of it or nothing, and brings it to this release's schema. The
file is read to its end before anything is changed. The master key must be there as the server will have it:
$MUSTER_DATA/master.key or MUSTER_MASTER_KEY. Works on DATABASE_URL, else on the database in MUSTER_DATA, which is
made.`),
    )
    .argument('<file>', 'the backup')
    .option('--without-key', 'restore though the master key is not there; no server starts before it is')
    .action(run)
}

async function run(path: string, { json = false, withoutKey = false }: Options): Promise<void> {
  const [{ withDatabase }, { restoreBackup }, { countRows, withProgress }] = await Promise.all([
    import('../local-database.ts'),
    import('@muster/server/backup/restore-backup.ts'),
    import('../backup/with-progress.ts'),
  ])
  const file = resolve(path)
  const { created, rows, migrations } = await withProgress({ quiet: json }, (watch) =>
    withDatabase(({ db, pool, config }) => restoreBackup({ db, pool, config, file, withoutKey, ...watch })),
  )
  if (json) return console.log(JSON.stringify({ file, created, rows, migrations }))
  console.log(`${file}: ${countRows(rows)}, as of ${created}`)
  if (migrations.length > 0) console.log(`Brought to this release: ${migrations.join(', ')}`)
}

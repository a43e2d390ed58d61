import { resolve } from 'node:path'
import type { Command } from 'commander'
import { newCommand, prose } from '../new-command.ts'

export function backupCommand(): Command {
  return newCommand('backup', 'write everything in the database to a file')
    .description(
      prose(`Writes everything in the database to a file, as it is at one moment, while servers go on. The file must not be there
yet, and only you may read it. The master key is not in it: keep a copy of that elsewhere. Works on DATABASE_URL,
else on the database in MUSTER_DATA, whether or not a server runs.`),
    )
    .argument('<file>', 'where to write the backup')
    .action(run)
}

async function run(path: string, { json = false }: { json?: boolean }): Promise<void> {
  const [{ withDatabase }, { writeBackup }, { countRows, withProgress }] = await Promise.all([
    import('../local-database.ts'),
    import('@muster/server/backup/write-backup.ts'),
    import('../backup/with-progress.ts'),
  ])
  const file = resolve(path)
  const { created, rows, bytes } = await withProgress({ quiet: json }, (watch) =>
    withDatabase(({ pool }) => writeBackup({ pool, file, ...watch }), { mustExist: true }),
  )
  if (json) return console.log(JSON.stringify({ file, created, bytes, rows }))
  console.log(`${file}: ${countRows(rows)}, ${bytes} bytes, as of ${created}`)
}

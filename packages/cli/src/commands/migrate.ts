import type { Command } from 'commander'
import { newCommand, prose } from '../options/new-command.ts'

export function buildCommand(): Command {
  return newCommand('migrate')
    .description(
      prose(`Migrate the database to this release's schema. "muster serve" also migrates the database at
startup. If you replace several servers one at a time, run this command first. The command connects to the database in
DATABASE_URL or, by default,
to the embedded
database in MUSTER_DATA, whether or not a server is running.`),
    )
    .action(async ({ json }: { json?: boolean }) => {
      const [{ withDatabase }, { migrate }] = await Promise.all([
        import('../installation/local-database.ts'),
        import('@muster/server/db/migrate.ts'),
      ])
      const done = await withDatabase(({ db, log }) => migrate(db, { log }))
      if (json) console.log(JSON.stringify({ migrations: done }))
      else console.log(done.length === 0 ? 'Nothing to do: the schema is up to date.' : `Done: ${done.join(', ')}`)
    })
}

import type { Command } from 'commander'
import { newCommand } from '../options/new-command.ts'

export function buildCommand(): Command {
  return newCommand('migrate')
    .description(`Migrate the database to this release's schema. "muster serve" also migrates the database at startup.
If you replace several servers one at a time, run this command first. The command connects to the database in
DATABASE_URL (or in DATABASE_DIRECT_URL, if both are set) or, by default, to the embedded database in MUSTER_DATA,
whether or not a server is running.

With MUSTER_CLUSTER=citus, the command also distributes the tables across the nodes of a Citus cluster.`)
    .action(async ({ json }: { json?: boolean }) => {
      const [{ withDatabase }, { migrate }, { clusterOf, distributeTables }] = await Promise.all([
        import('../installation/open-database.ts'),
        import('@muster/server/db/migrate.ts'),
        import('@muster/server/db/cluster/distribute.ts'),
      ])
      const { migrations, distributed } = await withDatabase(async ({ db, log, config }) => ({
        migrations: await migrate(db, { log }),
        distributed: await distributeTables(db, { cluster: clusterOf(config), log }),
      }))
      if (json) return console.log(JSON.stringify({ migrations, ...(distributed.length > 0 && { distributed }) }))
      if (migrations.length > 0) console.log(`Applied migrations: ${migrations.join(', ')}`)
      if (distributed.length > 0) console.log(`Tables distributed across the cluster: ${distributed.join(', ')}`)
      if (migrations.length + distributed.length === 0) console.log('Nothing to do: the schema is up to date.')
    })
}

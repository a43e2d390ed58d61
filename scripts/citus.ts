/**
 * `node scripts/citus.ts <url> [shards]` prints the commands that distribute a migrated database over a Citus cluster.
 * docs/guides/scale.md explains when that helps.
 */
import pg from 'pg'
import { readCatalog } from './citus/catalog.ts'
import { citusCommands } from './citus/commands.ts'

const [url, shards = '32'] = process.argv.slice(2)
if (url === undefined || !/^[1-9]\d*$/.test(shards)) {
  console.error('usage: node scripts/citus.ts postgresql://user:password@host:port/database [shards]')
  process.exit(2)
}
const client = new pg.Client({ connectionString: url })
await client.connect()
try {
  for (const command of citusCommands(await readCatalog(client), { shards: Number(shards) })) console.log(command)
} finally {
  await client.end()
}

/** `node migrating-process.ts <url>` migrates a database to the current schema and then runs the sample migration. */
import { createDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { readMigrations, releaseFolder } from '../../src/db/migration.ts'
import { createPool } from '../../src/db/pool/create-pool.ts'

const pool = createPool({ connection: { connectionString: process.argv[2]! }, size: 2, statementTimeout: 0 })
const sampleFolder = new URL('migrations/', import.meta.url)
await migrate(createDatabase(pool), {
  migrations: [...(await readMigrations(releaseFolder)), ...(await readMigrations(sampleFolder))],
})
await pool.end()

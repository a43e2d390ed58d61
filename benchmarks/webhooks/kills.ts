import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startDatabase } from '../environment/database.ts'
import { runKills } from './run-kills.ts'

const [events = 10_000, kills = 20, servers = 2] = process.argv.slice(2).map(Number)
const database = await startDatabase()
const folder = join(database.folder, 'servers')
await mkdir(folder)
const masterKey = randomBytes(32).toString('base64')
try {
  const { missing, ...report } = await runKills({
    databaseUrl: database.url,
    folder,
    masterKey,
    events,
    kills,
    servers,
  })
  console.table(report)
  if (missing.length > 0 || report.severalIds + report.changed + report.forged > 0) {
    console.error(
      `Events that were not delivered: ${missing.length}. For wrong deliveries, see severalIds, changed, and forged in the table above.`,
    )
    process.exitCode = 1
  }
} finally {
  await database.stop()
}

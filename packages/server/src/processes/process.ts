import { agreeOnMasterKey } from '../auth/master-key/master-key.ts'
import type { Secrets } from '../auth/secrets.ts'
import { type Config, readConfig } from '../config.ts'
import { openDatabase } from '../db/open-database.ts'
import { createMetrics } from '../metrics.ts'
import { startServing } from '../serving.ts'
import { type DatabaseAccess, databaseAccess } from '../start/database-urls.ts'
import { exitSoon } from '../start/exit-soon.ts'
import { failureText } from '../start/failure-text.ts'
import { createLog } from '../start/log.ts'
import { type Running, run } from '../start/run-until-stopped.ts'
import { openServingCertificates } from '../start/serving-certificates.ts'
import { linkToParent } from './link.ts'
import { NUMBER_VARIABLE } from './messages.ts'

// If `MUSTER_WORKERS` is above 1, each server process runs this program.

const link = linkToParent()
const config = readConfig()
const log = createLog(config)
const metrics = link.share(createMetrics({ ofProcess: true, process: process.env[NUMBER_VARIABLE] }))

async function start(running: Running): Promise<void> {
  const certificates = await openServingCertificates({ ...running, config })
  const database = databaseAccess(config)
  const secrets = await readMasterKey(database, config, running)
  running.signal.throwIfAborted()
  await link.ready(await startServing({ ...running, config, certificates, database, secrets, metrics }))
}

async function readMasterKey({ connection }: DatabaseAccess, config: Config, { log }: Running): Promise<Secrets> {
  const db = openDatabase({ connection, size: 1, statementTimeout: 0 }, log)
  try {
    return await db.transaction().execute((transaction) => agreeOnMasterKey(transaction, { config, log }))
  } finally {
    await db.destroy()
  }
}

try {
  await run(log, start, link)
} catch (error) {
  await link.failed(failureText(error))
  process.exitCode = 1
}
link.end()
exitSoon()

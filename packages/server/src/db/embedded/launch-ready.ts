import { connectionTo } from './connection.ts'
import type { EmbeddedLog } from './embedded-log.ts'
import { type Launch, launchPostgres, type Postgres } from './postgres.ts'
import { waitUntilReady } from './wait-until-ready.ts'

/** Starts PostgreSQL, waits until it accepts connections, and runs `firstWork`. Stops PostgreSQL if any step fails. */
export async function launchReady(
  launch: Launch,
  log: EmbeddedLog,
  firstWork: () => Promise<unknown> = async () => {},
): Promise<Postgres> {
  const { clusterFolder, logFile } = launch
  const postgres = await launchPostgres(launch)
  try {
    await waitUntilReady({ postgres, connection: connectionTo(clusterFolder), clusterFolder, logFile, log })
    await firstWork()
    return postgres
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

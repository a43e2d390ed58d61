import pg from 'pg'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createWorkerRouter } from '../../../src/db/cluster/worker-router.ts'
import { openDatabase } from '../../../src/db/open-database.ts'
import type { TestApp } from '../../harness/app.ts'
import { workersAt } from '../cluster-databases.ts'

const log = pino({ level: 'silent' })

/** Starts a second server, which reads lists from the workers, and records where it reads each list. */
export async function startReader(
  app: TestApp,
  options: Parameters<TestApp['startAnother']>[0] = {},
): Promise<{ reader: TestApp; places: string[] }> {
  const places: string[] = []
  const readRouter = createWorkerRouter({
    coordinator: app.db,
    openPools: workersAt(new pg.Client(app.connection).database!).map(
      (connection) => () => openDatabase({ connection, size: 4, statementTimeout: 30_000, fairness: app.config }, log),
    ),
    log,
    onChoice: (place) => void places.push(place),
  })
  const reader = await app.startAnother({ ...options, readRouter })
  onTestFinished(async () => {
    await reader.close()
    await readRouter.close()
  })
  return { reader, places }
}

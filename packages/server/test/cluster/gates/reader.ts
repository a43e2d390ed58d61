import pg from 'pg'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createWorkerRouter } from '../../../src/db/cluster/worker-router.ts'
import type { Database } from '../../../src/db/database.ts'
import { openDatabase } from '../../../src/db/open-database.ts'
import type { TestApp } from '../../harness/app.ts'
import { workersAt } from '../cluster-databases.ts'

const log = pino({ level: 'silent' })

export interface Reader {
  reader: TestApp
  /** Where the server read each list. */
  places: string[]
  /** Returns the number of transactions for which the server chose a worker. */
  countWrites: () => number
}

/** Starts a second server, which reads lists and changes attributes on the workers. */
export async function startReader(app: TestApp, options: Parameters<TestApp['startAnother']>[0] = {}): Promise<Reader> {
  const places: string[] = []
  let writes = 0
  const readRouter = createWorkerRouter({
    coordinator: app.db,
    openPools: workersAt(new pg.Client(app.connection).database!).map(
      (connection) => () => openDatabase({ connection, size: 4, statementTimeout: 30_000, fairness: app.config }, log),
    ),
    log,
    onChoice: (place) => void places.push(place),
  })
  const chooseWriter = async (accountId: string): Promise<Database | undefined> => {
    const worker = await readRouter.chooseWriter?.(accountId)
    if (worker !== undefined) writes++
    return worker
  }
  const reader = await app.startAnother({ ...options, readRouter: { ...readRouter, chooseWriter } })
  onTestFinished(async () => {
    await reader.close()
    await readRouter.close()
  })
  return { reader, places, countWrites: () => writes }
}

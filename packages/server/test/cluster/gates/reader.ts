import pg from 'pg'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createWorkerRouter } from '../../../src/db/cluster/worker-router.ts'
import { openDatabase } from '../../../src/db/open-database.ts'
import type { WriteConnections } from '../../../src/db/replica/read-router.ts'
import type { TestApp } from '../../harness/app.ts'
import { workersAt } from '../cluster-databases.ts'

const log = pino({ level: 'silent' })

export interface Reader {
  reader: TestApp
  /** For each list, the place from which the server read it, such as `replica`. */
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
      (connection) =>
        ({ rewriteQuery, ...options }) => {
          const fairness = { ...app.config, rewriteQuery }
          return openDatabase({ ...options, connection, size: 4, statementTimeout: 30_000, fairness }, log)
        },
    ),
    openEventIds: () => openDatabase({ connection: app.connection, size: 2, statementTimeout: 30_000 }, log),
    log,
    onChoice: (place) => void places.push(place),
  })
  const chooseWriter = async (accountId: string): Promise<WriteConnections | undefined> => {
    const place = await readRouter.chooseWriter?.(accountId)
    if (place !== undefined) writes++
    return place
  }
  const reader = await app.startAnother({ ...options, readRouter: { ...readRouter, chooseWriter } })
  onTestFinished(async () => {
    await reader.close()
    await readRouter.close()
  })
  return { reader, places, countWrites: () => writes }
}

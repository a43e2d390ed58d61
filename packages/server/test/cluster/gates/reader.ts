import pg from 'pg'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createWorkerRouter, type WorkerRouterOptions } from '../../../src/db/cluster/worker-router.ts'
import { openDatabase } from '../../../src/db/open-database.ts'
import type { ReadRouter, WriteConnections } from '../../../src/db/replica/read-router.ts'
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

/** Opens a router that chooses among the workers of the cluster. */
export const openRouter = (app: TestApp, options: Pick<WorkerRouterOptions, 'coordinator' | 'onChoice'>): ReadRouter =>
  createWorkerRouter({
    ...options,
    openPools: workersAt(new pg.Client(app.connection).database!).map(
      (connection) =>
        ({ rewriteQuery, ...poolOptions }) => {
          const fairness = { ...app.config, rewriteQuery }
          return openDatabase({ ...poolOptions, connection, size: 4, statementTimeout: 30_000, fairness }, log)
        },
    ),
    openEventIds: () => openDatabase({ connection: app.connection, size: 2, statementTimeout: 30_000 }, log),
    log,
  })

/** Starts a second server, which reads lists and changes attributes on the workers. */
export async function startReader(app: TestApp, options: Parameters<TestApp['startAnother']>[0] = {}): Promise<Reader> {
  const places: string[] = []
  let writes = 0
  const readRouter = openRouter(app, { coordinator: app.db, onChoice: (place) => void places.push(place) })
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

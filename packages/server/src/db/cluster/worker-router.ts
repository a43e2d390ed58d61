import type { FastifyBaseLogger } from 'fastify'
import { batched } from '../../lib/batched.ts'
import { boundedMap } from '../../lib/bounded-map.ts'
import type { Database } from '../database.ts'
import { isReadConflict } from '../database-errors.ts'
import type { ReadPlace, ReadRouter } from '../replica/read-router.ts'
import { isWorker, selectIdentity, selectNodes } from './nodes.queries.ts'

/**
 * Session settings for the workers. With a generic plan, Citus 13 creates a plan for the local shard at each execution
 * of a prepared statement, and frees these plans only when the session ends.
 */
const workerSettings = { plan_cache_mode: 'force_custom_plan' }

export interface WorkerRouterOptions {
  coordinator: Database
  /** One function per worker URL, which opens a pool for that URL. The pool's sessions must use the given settings. */
  openPools: readonly ((settings: Readonly<Record<string, string>>) => Database)[]
  /**
   * Opens another pool for the coordinator. A transaction on a worker waits for event IDs while it holds locks. In the
   * pool for requests, it could wait behind other transactions, which in turn wait for these locks.
   */
  openEventIds: () => Database
  log: FastifyBaseLogger
  onChoice?: (place: ReadPlace) => void
}

/** The interval, in milliseconds, between checks of unavailable workers. */
const RETRY_MS = 1_000
/**
 * How long an account's node is cached, in milliseconds. An outdated entry does no harm: any node can run any query.
 */
const NODE_CACHE_MS = 30_000
const MAX_CACHED_NODES = 100_000

/**
 * Chooses the worker that stores an account. Any other node can also run the account's queries, but it has to forward
 * them to that worker.
 */
export function createWorkerRouter({
  coordinator,
  openPools,
  openEventIds,
  log,
  onChoice = () => {},
}: WorkerRouterOptions): ReadRouter {
  const pools = openPools.map((open) => open(workerSettings))
  const eventIds = openEventIds()
  /** The available workers, keyed by the Citus group ID of their node. */
  const workers = new Map<string, Database>()
  const nodes = boundedMap<string, { node: string; until: number }>(MAX_CACHED_NODES)
  const reported = new Map<Database, string>()
  const checking = new Map<Database, Promise<void>>()
  /** The pools of URLs that lead to the same node as another URL. The router does not use these pools. */
  const duplicates = new Set<Database>()
  const readNode = batched((accountIds) => selectNodes(coordinator, accountIds))

  const setAway = (db: Database, reason: string): void => {
    for (const [node, worker] of workers) if (worker === db) workers.delete(node)
    if (reported.get(db) !== reason) log.warn({ reason }, 'a worker of the cluster is unavailable')
    reported.set(db, reason)
  }

  const check = async (db: Database): Promise<void> => {
    try {
      const identity = await selectIdentity(db)
      if (identity.isStandby)
        throw new Error('DATABASE_URLS contains a standby, but must contain only workers of the cluster')
      if (!(await isWorker(coordinator, identity)))
        throw new Error('DATABASE_URLS contains a server that is not a worker of the cluster')
      const { node } = identity
      if (workers.has(node)) {
        duplicates.add(db)
        log.warn({ node }, 'DATABASE_URLS contains several URLs of one node: only the first available one is used')
        return
      }
      workers.set(node, db)
      reported.delete(db)
      log.info({ node }, 'a worker of the cluster is available')
    } catch (error) {
      setAway(db, (error as Error).message)
    }
  }
  const checkAway = (): void => {
    const skipped = new Set([...workers.values(), ...duplicates, ...checking.keys()])
    for (const db of pools)
      if (!skipped.has(db))
        checking.set(
          db,
          check(db).finally(() => checking.delete(db)),
        )
  }
  checkAway()
  const timer = setInterval(checkAway, RETRY_MS).unref()

  const nodeOf = async (accountId: string): Promise<string | undefined> => {
    const known = nodes.get(accountId)
    if (known !== undefined && known.until > performance.now()) return known.node
    const node = await readNode(accountId)
    if (node === undefined) return undefined
    nodes.set(accountId, { node, until: performance.now() + NODE_CACHE_MS })
    return node
  }

  const workerOf = async (accountId: string): Promise<Database | undefined> => {
    const node = workers.size === 0 ? undefined : await nodeOf(accountId).catch(() => undefined)
    return node === undefined ? undefined : workers.get(node)
  }

  return {
    async chooseWriter(accountId) {
      const worker = await workerOf(accountId)
      return worker && { worker, eventIds }
    },
    async choose(accountId) {
      const worker = await workerOf(accountId)
      onChoice(worker === undefined ? 'away' : 'replica')
      return worker
    },
    failed(db, error) {
      if (!isReadConflict(error)) setAway(db, (error as Error).message)
    },
    async close() {
      clearInterval(timer)
      await Promise.all(checking.values())
      await Promise.all([...pools, eventIds].map((db) => db.destroy()))
    },
  }
}

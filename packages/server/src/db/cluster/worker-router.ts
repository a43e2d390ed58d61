import { isDeepStrictEqual } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'
import { batched } from '../../lib/batched.ts'
import { boundedMap } from '../../lib/bounded-map.ts'
import type { Database } from '../database.ts'
import { isReadConflict, isShardMoved } from '../database-errors.ts'
import type { FairOptions } from '../fair/user-database.ts'
import type { ReadPlace, ReadRouter } from '../replica/read-router.ts'
import { isWorker, type Shard, selectIdentity, selectShards } from './account-shards.queries.ts'
import { readOnShard } from './read-on-shard.ts'

const poolOptions = {
  /**
   * This limit saves memory. A statement has a separate form for each shard, and each prepared statement that lists
   * devices takes 0.13 MB of PostgreSQL's memory.
   */
  maxNamed: 500,
  /**
   * Transactions send statements to Citus. With a generic plan, Citus 13 creates a plan for the local shard at each
   * execution of a prepared statement. It frees these plans only when the session ends.
   */
  transactionSettings: { plan_cache_mode: 'force_custom_plan' },
}

export type WorkerPoolOptions = typeof poolOptions & Pick<FairOptions, 'rewriteQuery'>

export interface WorkerRouterOptions {
  coordinator: Database
  /** One function per worker URL. Each function opens a pool for its URL with the given options. */
  openPools: readonly ((options: WorkerPoolOptions) => Database)[]
  /**
   * Opens another pool for the coordinator. A transaction on a worker waits for event IDs while it holds locks. In the
   * pool for requests, reading the IDs could wait for other transactions, which in turn wait for these locks.
   */
  openEventIds: () => Database
  log: FastifyBaseLogger
  onChoice?: (place: ReadPlace) => void
}

/** The interval, in milliseconds, between checks of unavailable workers. */
const RETRY_MS = 1_000
/**
 * How long the shard of an account is cached, in milliseconds. An outdated entry does no harm, because any node can run
 * any transaction. A query on a node that does not store the shard fails (`readOnShard`), and the server repeats the
 * query.
 */
const SHARD_CACHE_MS = 30_000
const MAX_CACHED_ACCOUNTS = 100_000

/**
 * Creates a router that chooses the worker that stores an account. Any other node can also run the account's queries,
 * but has to forward them to that worker.
 */
export function createWorkerRouter({
  coordinator,
  openPools,
  openEventIds,
  log,
  onChoice = () => {},
}: WorkerRouterOptions): ReadRouter {
  const eventIds = openEventIds()
  /** The available workers, keyed by the Citus group ID of their node. */
  const workers = new Map<string, Database>()
  const shardsByAccount = boundedMap<string, { shard: Shard; until: number }>(MAX_CACHED_ACCOUNTS)
  /** Accounts of the same shard share one object, which lists all tables. */
  const shardsById = new Map<string, Shard>()
  const rewriteQuery = (text: string, accountId: string): string => {
    const known = shardsByAccount.get(accountId)
    return known === undefined ? text : readOnShard(text, known.shard)
  }
  const pools = openPools.map((open) => open({ ...poolOptions, rewriteQuery }))
  const reported = new Map<Database, string>()
  const checking = new Map<Database, Promise<void>>()
  /** The pools of URLs that lead to the same node as another URL. The router does not use these pools. */
  const duplicates = new Set<Database>()
  const readShardOf = batched((accountIds) => selectShards(coordinator, accountIds))

  /** Returns the position in DATABASE_URLS, because the URL itself may contain a password. */
  const positionOf = (db: Database): number => pools.indexOf(db) + 1

  const setAway = (db: Database, reason: string): void => {
    for (const [node, worker] of workers) if (worker === db) workers.delete(node)
    if (reported.get(db) !== reason)
      log.warn({ position: positionOf(db), reason }, 'a server in DATABASE_URLS is unavailable or not a worker')
    reported.set(db, reason)
  }

  const check = async (db: Database): Promise<void> => {
    try {
      const identity = await selectIdentity(db)
      if (identity.isStandby) throw new Error('the server is a standby, not a worker of the cluster')
      if (!(await isWorker(coordinator, identity))) throw new Error('the server is not a worker of the cluster')
      const { node } = identity
      if (workers.has(node)) {
        duplicates.add(db)
        const message = 'DATABASE_URLS contains several URLs of the same node, but only one of them is used'
        log.warn({ position: positionOf(db), node }, message)
        return
      }
      workers.set(node, db)
      reported.delete(db)
      log.info({ position: positionOf(db), node }, 'a worker of the cluster is available')
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

  const shardOf = async (accountId: string): Promise<Shard | undefined> => {
    const known = shardsByAccount.get(accountId)
    if (known !== undefined && known.until > performance.now()) return known.shard
    const found = await readShardOf(accountId)
    if (found === undefined) return undefined
    const former = shardsById.get(found.id)
    const shard = isDeepStrictEqual(former, found) ? former! : found
    shardsById.set(found.id, shard)
    shardsByAccount.set(accountId, { shard, until: performance.now() + SHARD_CACHE_MS })
    return shard
  }

  const workerOf = async (accountId: string): Promise<Database | undefined> => {
    const shard = workers.size === 0 ? undefined : await shardOf(accountId).catch(() => undefined)
    return shard === undefined ? undefined : workers.get(shard.node)
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
      // A caller can cause read conflicts even if no shard has moved. The worker is then still available, and reading
      // the shards again would only burden the coordinator.
      if (isShardMoved(error)) shardsByAccount.clear()
      else if (!isReadConflict(error)) setAway(db, (error as Error).message)
    },
    async close() {
      clearInterval(timer)
      await Promise.all(checking.values())
      await Promise.all([...pools, eventIds].map((db) => db.destroy()))
    },
  }
}

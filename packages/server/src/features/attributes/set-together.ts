import { AsyncResource } from 'node:async_hooks'
import pg from 'pg'
import type { Database } from '../../db/database.ts'
import { isDatabaseSlow, isDatabaseUnavailable, isOutcomeUnknown } from '../../db/database-errors.ts'
import { type BaseWrite, type Outcome, setOnDevice, setOnDevices } from './set-attribute.queries.ts'

/** While this many batch statements of an account are in flight, new writes wait for the next batch. */
const MAX_CONCURRENT = 2
const MAX_WRITES = 100

type Result = boolean | undefined

interface QueuedWrite {
  write: BaseWrite
  result: PromiseWithResolvers<Result>
  /** Preserves the tracing context of the request. */
  scope: AsyncResource
}

interface Queue {
  add(queued: QueuedWrite): void
}

/** A queue exists while a write of its account is in progress. */
const queues = new WeakMap<Database, Map<string, Queue>>()

/**
 * Like `setOnDevice`, but writes that arrive while other writes of the account are in progress share a statement and
 * its commit. A locked device delays only the writes to that device: batches skip it, and its writes then run
 * separately.
 */
export function setTogether(db: Database, write: BaseWrite): Promise<Result> {
  const { accountId } = write
  const ofDatabase = queues.get(db) ?? new Map<string, Queue>()
  queues.set(db, ofDatabase)
  const queue = ofDatabase.get(accountId) ?? createQueue(db, () => ofDatabase.delete(accountId))
  ofDatabase.set(accountId, queue)
  const queued: QueuedWrite = { write, result: Promise.withResolvers(), scope: new AsyncResource('attribute write') }
  queue.add(queued)
  return queued.result.promise
}

function createQueue(db: Database, onIdle: () => void): Queue {
  /** Devices that are being written, each with the later writes, which would otherwise wait for the device's lock. */
  const busy = new Map<string, QueuedWrite[]>()
  let ready: QueuedWrite[] = []
  let batches = 0
  let singles = 0

  /** Takes the writes for the next batch. In a batch, each top-level name of a device occurs at most once. */
  const take = (): QueuedWrite[] => {
    const names = new Map<string, Set<string>>()
    const taken: QueuedWrite[] = []
    const remaining: QueuedWrite[] = []
    for (const queued of ready) {
      const { targetId, name } = queued.write
      const ofDevice = names.get(targetId)
      const isFull = taken.length === MAX_WRITES
      if (ofDevice !== undefined && (isFull || ofDevice.has(name[0]))) busy.get(targetId)!.push(queued)
      else if (isFull) remaining.push(queued)
      else {
        if (ofDevice === undefined) busy.set(targetId, [])
        names.set(targetId, (ofDevice ?? new Set()).add(name[0]))
        taken.push(queued)
      }
    }
    ready = remaining
    return taken
  }

  const release = (group: readonly QueuedWrite[]): void => {
    for (const targetId of idsOf(group)) {
      ready.push(...busy.get(targetId)!)
      busy.delete(targetId)
    }
  }

  /** Rejects the queued writes to the group's devices, because these writes would fail in the same way. */
  const failQueued = (group: readonly QueuedWrite[], failure: unknown): void => {
    for (const targetId of idsOf(group)) {
      for (const { result } of busy.get(targetId)!) result.reject(failure)
      busy.set(targetId, [])
    }
  }

  const setSeveral = async (group: readonly QueuedWrite[]): Promise<void> => {
    batches++
    const { locked, failure } = await set(db, group, { waits: false })
    batches--
    if (failure !== undefined) failQueued(group, failure)
    const lockedIds = idsOf(locked)
    release(group.filter(({ write }) => !lockedIds.has(write.targetId)))
    for (const ofDevice of byDevice(locked)) void setOfOneDevice(ofDevice)
    runNext()
  }

  const setOfOneDevice = async (ofDevice: readonly QueuedWrite[]): Promise<void> => {
    singles++
    const { failure } = await set(db, ofDevice, { waits: true })
    singles--
    if (failure !== undefined) failQueued(ofDevice, failure)
    release(ofDevice)
    runNext()
  }

  const runNext = (): void => {
    while (ready.length > 0 && batches < MAX_CONCURRENT) void setSeveral(take())
    if (batches + singles === 0) onIdle()
  }

  return {
    add(queued) {
      const { targetId } = queued.write
      const waiting = busy.get(targetId)
      if (waiting !== undefined) waiting.push(queued)
      else if (batches + singles === 0) {
        busy.set(targetId, [])
        void setOfOneDevice([queued])
      } else {
        ready.push(queued)
        runNext()
      }
    },
  }
}

const idsOf = (group: readonly QueuedWrite[]): Set<string> => new Set(group.map(({ write }) => write.targetId))

const byDevice = (group: readonly QueuedWrite[]): QueuedWrite[][] => [
  ...Map.groupBy(group, ({ write }) => write.targetId).values(),
]

interface BatchResult {
  /** The writes to locked devices, which have not been executed or resolved yet. */
  locked: readonly QueuedWrite[]
  /** The error, if the database was unreachable or timed out. */
  failure: unknown
}

/** Resolves or rejects all writes except those in `locked`. The returned promise never rejects. */
async function set(db: Database, group: readonly QueuedWrite[], { waits }: { waits: boolean }): Promise<BatchResult> {
  if (group.length === 1 && waits) return { locked: [], failure: await setAlone(db, group[0]!) }
  let outcomes: Outcome[]
  try {
    const writes = group.map(({ write }) => write)
    // The statement can be in only one trace, so it is in the trace of the request that arrived first.
    outcomes = await group[0]!.scope.runInAsyncScope(() => setOnDevices(db, writes[0]!.accountId, { writes, waits }))
  } catch (error) {
    if (group.length > 1 && isStatementError(error)) await setSingly(db, group)
    else for (const { result } of group) result.reject(error)
    return { locked: [], failure: databaseFailure(error) }
  }
  const locked: QueuedWrite[] = []
  const rejected: QueuedWrite[] = []
  for (const [index, queued] of group.entries()) {
    const outcome = outcomes[index]!
    if (outcome === 'locked' && !waits) locked.push(queued)
    else if (outcome === 'refused') rejected.push(queued)
    // With `waits`, 'locked' means that the device was deleted before the statement acquired its lock. Such a write
    // resolves to false.
    else queued.result.resolve(outcome === null ? undefined : outcome === 'done')
  }
  await setSingly(db, rejected)
  return { locked, failure: undefined }
}

/** Runs each write in a separate statement, so that an error fails only the write that caused it. */
async function setSingly(db: Database, group: readonly QueuedWrite[]): Promise<void> {
  const setInOrder = async (ofDevice: readonly QueuedWrite[]): Promise<void> => {
    for (const queued of ofDevice) await setAlone(db, queued)
  }
  await Promise.all(byDevice(group).map(setInOrder))
}

const setAlone = (db: Database, { write, result, scope }: QueuedWrite): Promise<unknown> =>
  scope
    .runInAsyncScope(() => setOnDevice(db, write))
    .then(result.resolve, (error) => {
      result.reject(error)
      return databaseFailure(error)
    })

/**
 * Returns the error if the database is too slow or unavailable, because later writes would then fail too. Returns
 * undefined if the outcome of a write is unknown, because later writes were not sent yet.
 */
const databaseFailure = (error: unknown): unknown =>
  isDatabaseSlow(error) || (isDatabaseUnavailable(error) && !isOutcomeUnknown(error)) ? error : undefined

/**
 * Checks whether a single write may have caused the error. Errors of the classes 08, 53, 57, and 58 (PostgreSQL,
 * Appendix A), such as a lost connection, affect every write.
 */
const isStatementError = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !/^(08|53|57|58)/.test(error.code ?? '')

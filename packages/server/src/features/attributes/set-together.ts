import { AsyncResource } from 'node:async_hooks'
import pg from 'pg'
import type { Database } from '../../db/database.ts'
import { isDatabaseAway, isDatabaseSlow, isOutcomeLost } from '../../db/database-away.ts'
import { type BaseWrite, type Outcome, setOnDevice, setOnDevices } from './set-attribute.queries.ts'

/** Batch statements of one account that run at once: while one commits, the next one collects writes. */
const AT_ONCE = 2
/** Maximum number of writes in one statement. */
const MOST = 100

/** The result of `setOnDevice`. */
type Answer = boolean | undefined

interface Asked {
  write: BaseWrite
  answer: PromiseWithResolvers<Answer>
  /** Runs the callback in the tracing context of the request. */
  scope: AsyncResource
}

interface Queue {
  add(asked: Asked): void
}

/** By account; an entry exists while a write of the account is in progress. */
const queues = new WeakMap<Database, Map<string, Queue>>()

/**
 * Like `setOnDevice`, but writes that arrive while others of the account are in progress share a statement and its commit. No write
 * waits for another write's device: a locked device is skipped and written separately.
 */
export function setTogether(db: Database, write: BaseWrite): Promise<Answer> {
  const { accountId } = write
  const ofDatabase = queues.get(db) ?? new Map<string, Queue>()
  queues.set(db, ofDatabase)
  const queue = ofDatabase.get(accountId) ?? createQueue(db, () => ofDatabase.delete(accountId))
  ofDatabase.set(accountId, queue)
  const asked: Asked = { write, answer: Promise.withResolvers(), scope: new AsyncResource('attribute write') }
  queue.add(asked)
  return asked.answer.promise
}

function createQueue(db: Database, onIdle: () => void): Queue {
  /** Devices that are being written, each with the writes that arrived for it meanwhile, which would only wait for its lock. */
  const busy = new Map<string, Asked[]>()
  let ready: Asked[] = []
  let together = 0
  let alone = 0

  /** Takes the next batch, with no name of a device twice. Its devices are busy from then on: `ready` has no more writes for them. */
  const take = (): Asked[] => {
    const names = new Map<string, Set<string>>()
    const taken: Asked[] = []
    const left: Asked[] = []
    for (const asked of ready) {
      const { targetId, name } = asked.write
      const ofDevice = names.get(targetId)
      const isFull = taken.length === MOST
      if (ofDevice !== undefined && (isFull || ofDevice.has(name[0]))) busy.get(targetId)!.push(asked)
      else if (isFull) left.push(asked)
      else {
        if (ofDevice === undefined) busy.set(targetId, [])
        names.set(targetId, (ofDevice ?? new Set()).add(name[0]))
        taken.push(asked)
      }
    }
    ready = left
    return taken
  }

  const release = (group: readonly Asked[]): void => {
    for (const targetId of idsOf(group)) {
      ready.push(...busy.get(targetId)!)
      busy.delete(targetId)
    }
  }

  /** Fails the queued writes for these devices too, because the same failure would affect them. */
  const giveUp = (group: readonly Asked[], failure: unknown): void => {
    for (const targetId of idsOf(group)) {
      for (const { answer } of busy.get(targetId)!) answer.reject(failure)
      busy.set(targetId, [])
    }
  }

  const setSeveral = async (group: readonly Asked[]): Promise<void> => {
    together++
    const { locked, failure } = await set(db, group, { waits: false })
    together--
    if (failure !== undefined) giveUp(group, failure)
    const lockedIds = idsOf(locked)
    release(group.filter(({ write }) => !lockedIds.has(write.targetId)))
    for (const ofDevice of byDevice(locked)) void setOfOneDevice(ofDevice)
    goOn()
  }

  const setOfOneDevice = async (ofDevice: readonly Asked[]): Promise<void> => {
    alone++
    const { failure } = await set(db, ofDevice, { waits: true })
    alone--
    if (failure !== undefined) giveUp(ofDevice, failure)
    release(ofDevice)
    goOn()
  }

  const goOn = (): void => {
    while (ready.length > 0 && together < AT_ONCE) void setSeveral(take())
    if (together + alone === 0) onIdle()
  }

  return {
    add(asked) {
      const { targetId } = asked.write
      const waiting = busy.get(targetId)
      if (waiting !== undefined) waiting.push(asked)
      else if (together + alone === 0) {
        busy.set(targetId, [])
        void setOfOneDevice([asked])
      } else {
        ready.push(asked)
        goOn()
      }
    },
  }
}

const idsOf = (group: readonly Asked[]): Set<string> => new Set(group.map(({ write }) => write.targetId))

const byDevice = (group: readonly Asked[]): Asked[][] => [...Map.groupBy(group, ({ write }) => write.targetId).values()]

interface Made {
  /** Writes to locked devices: neither executed nor settled yet. */
  locked: readonly Asked[]
  /** Why the database did not respond. */
  failure: unknown
}

/** Executes writes of one account and settles each of them. Never rejects. */
async function set(db: Database, group: readonly Asked[], { waits }: { waits: boolean }): Promise<Made> {
  if (group.length === 1 && waits) return { locked: [], failure: await setAlone(db, group[0]!) }
  let outcomes: Outcome[]
  try {
    const writes = group.map(({ write }) => write)
    // Traces show the statement once, in the request that arrived first.
    outcomes = await group[0]!.scope.runInAsyncScope(() => setOnDevices(db, writes[0]!.accountId, { writes, waits }))
  } catch (error) {
    if (group.length > 1 && isRefusal(error)) await setSingly(db, group)
    else for (const { answer } of group) answer.reject(error)
    return { locked: [], failure: asFailure(error) }
  }
  const locked: Asked[] = []
  const refused: Asked[] = []
  for (const [index, asked] of group.entries()) {
    const outcome = outcomes[index]!
    if (outcome === 'locked' && !waits) locked.push(asked)
    else if (outcome === 'refused') refused.push(asked)
    // A device that was deleted before its lock was acquired counts as rejected.
    else asked.answer.resolve(outcome === null ? undefined : outcome === 'done')
  }
  await setSingly(db, refused)
  return { locked, failure: undefined }
}

/** None of these were written. Each write runs separately, so that one error fails only its own write. Order per device is kept. */
async function setSingly(db: Database, group: readonly Asked[]): Promise<void> {
  const inTurn = async (ofDevice: readonly Asked[]): Promise<void> => {
    for (const asked of ofDevice) await setAlone(db, asked)
  }
  await Promise.all(byDevice(group).map(inTurn))
}

/** Settles one write. It resolves to a value of `Made`. */
const setAlone = (db: Database, { write, answer, scope }: Asked): Promise<unknown> =>
  scope
    .runInAsyncScope(() => setOnDevice(db, write))
    .then(answer.resolve, (error) => {
      answer.reject(error)
      return asFailure(error)
    })

/** Whether PostgreSQL was unreachable or timed out. An unknown outcome does not count: the next write was not sent yet. */
const asFailure = (error: unknown): unknown =>
  isDatabaseSlow(error) || (isDatabaseAway(error) && !isOutcomeLost(error)) ? error : undefined

/** Whether the error is about the statement, not about the connection, the server's resources, or a shutdown, which affect every write. */
const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !/^(08|53|57|58)/.test(error.code ?? '')

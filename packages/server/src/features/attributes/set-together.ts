import { AsyncResource } from 'node:async_hooks'
import pg from 'pg'
import type { Database } from '../../db/database.ts'
import { isDatabaseAway, isDatabaseSlow, isOutcomeLost } from '../../db/database-away.ts'
import { type BaseWrite, type Outcome, setOnDevice, setOnDevices } from './set-attribute.queries.ts'

/** Statements for several devices that an account has under way: while one reaches the disk, the next is made up. */
const AT_ONCE = 2
/** Writes of one statement at most. */
const MOST = 100

/** What `setOnDevice` answers. */
type Answer = boolean | undefined

interface Asked {
  write: BaseWrite
  answer: PromiseWithResolvers<Answer>
  /** What runs in it is part of the request that asked. */
  scope: AsyncResource
}

interface Queue {
  add(asked: Asked): void
}

/** By account; one is there while something of it is under way. */
const queues = new WeakMap<Database, Map<string, Queue>>()

/**
 * As `setOnDevice`; writes that come while others of the account are under way share a statement and its commit. None waits for
 * the device of another: one that is locked is left out, and written by itself.
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
  /** Devices that are being written, each with the writes that came for it meanwhile: they would only wait for its lock. */
  const busy = new Map<string, Asked[]>()
  let ready: Asked[] = []
  let together = 0
  let alone = 0

  /** What can go at once, no name of a device twice. Its devices are busy from here on: nothing for them is left in `ready`. */
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

  /** What waits in line for these is told of a failure that it would meet too, each after as long a time as the first. */
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
  /** Those to devices that are locked: neither made nor answered. */
  locked: readonly Asked[]
  /** Why nothing was to be had of the database for a while. */
  failure: unknown
}

/** Makes writes of one account and answers them. Never fails. */
async function set(db: Database, group: readonly Asked[], { waits }: { waits: boolean }): Promise<Made> {
  if (group.length === 1 && waits) return { locked: [], failure: await setAlone(db, group[0]!) }
  let outcomes: Outcome[]
  try {
    const writes = group.map(({ write }) => write)
    // A trace has the statement once, as part of the request that came first.
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
    // One that is gone by the time that its lock was to be had is as refused.
    else asked.answer.resolve(outcome === null ? undefined : outcome === 'done')
  }
  await setSingly(db, refused)
  return { locked, failure: undefined }
}

/** Nothing of these was written; no write pays for what is wrong with another. Those of a device go in their order. */
async function setSingly(db: Database, group: readonly Asked[]): Promise<void> {
  const inTurn = async (ofDevice: readonly Asked[]): Promise<void> => {
    for (const asked of ofDevice) await setAlone(db, asked)
  }
  await Promise.all(byDevice(group).map(inTurn))
}

/** Answers one. What it resolves to is as `Made` has it. */
const setAlone = (db: Database, { write, answer, scope }: Asked): Promise<unknown> =>
  scope
    .runInAsyncScope(() => setOnDevice(db, write))
    .then(answer.resolve, (error) => {
      answer.reject(error)
      return asFailure(error)
    })

/** PostgreSQL was not there, or gave up waiting. That an outcome is unknown says nothing of the next, which was not sent. */
const asFailure = (error: unknown): unknown =>
  isDatabaseSlow(error) || (isDatabaseAway(error) && !isOutcomeLost(error)) ? error : undefined

/** Of what was asked, not of the connection, what the server has to work with, or that it ends: that is so for each of them. */
const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !/^(08|53|57|58)/.test(error.code ?? '')

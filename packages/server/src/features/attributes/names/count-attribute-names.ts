import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../../db/database.ts'
import { downloadDatabase, retryWhenRateLimited, userDatabase } from '../../../db/fair/user-database.ts'
import { ApiError } from '../../../errors.ts'
import { limits } from '../../../limits.ts'
import type { Feed } from '../../events/feed/feed.ts'
import {
  type AttributeName,
  countNamesInRange,
  findRangeEnd,
  type NameCount,
  readRecentChanges,
} from './attribute-names.queries.ts'
import { advanceSummary, deleteOtherNames, type NameSummary, writeNames } from './name-summary.queries.ts'

/** The maximum number of events to read to find the last change of each name. */
const EVENTS_READ = 100_000
/** Without this limit, counting the names of a large account would occupy a connection for a long time. */
const DEVICES_PER_STATEMENT = 10_000
/** This string sorts after every ID. */
const AFTER_ALL_IDS = 'z'

export type CountedNames = Pick<NameSummary, 'names' | 'eventId'>

export interface NameCounts {
  count(accountId: string, former: CountedNames | undefined): Promise<CountedNames>
  join(accountId: string, former: CountedNames | undefined): Promise<CountedNames>
  /** Begins a count in the background. Returns false if one is already in progress. */
  begin(accountId: string, former: CountedNames | undefined): boolean
  /** Waits for the counts that `join` and `begin` started. All counts stop before their next range of devices. */
  close(): Promise<void>
}

interface Deps {
  db: Database
  feed: Pick<Feed, 'position'>
  log: Pick<FastifyBaseLogger, 'warn'>
}

export function createNameCounts({ db, feed, log }: Deps): NameCounts {
  const inProgress = new Map<string, Promise<CountedNames>>()
  let isClosing = false
  const assertOpen = (): void => {
    if (isClosing) throw new ApiError('UNAVAILABLE', 'the server is stopping; retry in a few seconds')
  }

  const count = async (accountId: string, former: CountedNames | undefined): Promise<CountedNames> => {
    // The position is read before counting. All events up to that position are committed, so the count includes them.
    const eventId = later(feed.position, former?.eventId)
    const ofUser = userDatabase(db, accountId)
    const counts = await countNames(downloadDatabase(db, accountId), accountId, assertOpen)
    const recent = await readRecentChanges(ofUser, accountId, { after: former?.eventId ?? 0n, limit: EVENTS_READ })
    const names = withFormerNames(withLastChanges(counts, recent.names, former?.names ?? []), recent.names, former)
    await saveSummary(ofUser, accountId, { names, eventId })
    return { names, eventId }
  }

  const join: NameCounts['join'] = (accountId, former) => {
    let joined = inProgress.get(accountId)
    if (joined === undefined) {
      joined = count(accountId, former).finally(() => inProgress.delete(accountId))
      inProgress.set(accountId, joined)
    }
    return joined
  }

  return {
    count,
    join,
    begin(accountId, former) {
      if (inProgress.has(accountId)) return false
      join(accountId, former).catch((err: unknown) => {
        if (!isClosing) log.warn({ err, accountId }, 'cannot count the attribute names of an account')
      })
      return true
    },
    async close() {
      isClosing = true
      await Promise.allSettled(inProgress.values())
    },
  }
}

/** The feed's position is undefined while a transaction that began before the feed started is still running. */
const later = (one = 0n, other = 0n): bigint => (one > other ? one : other)

/** Needs a database without a query time limit: on a slow disk, a statement may take seconds. */
async function countNames(db: Database, accountId: string, assertOpen: () => void): Promise<NameCount[]> {
  const limit = limits.attributeNames
  const counts = new Map<string, NameCount>()
  let after = ''
  for (;;) {
    const from = after
    const { end, found } = await retryWhenRateLimited(async () => {
      assertOpen()
      const rangeEnd = await findRangeEnd(db, accountId, { after: from, count: DEVICES_PER_STATEMENT })
      const range = { after: from, upTo: rangeEnd ?? AFTER_ALL_IDS, limit }
      return { end: rangeEnd, found: await countNamesInRange(db, accountId, range) }
    })
    for (const { name, devices, services } of found) {
      const before = counts.get(name) ?? { devices: 0, services: 0 }
      counts.set(name, { name, devices: before.devices + devices, services: before.services + services })
    }
    if (counts.size > 2 * limit) keepMostUsed(counts, limit)
    if (end === undefined) break
    after = end
  }
  keepMostUsed(counts, limit)
  return [...counts.values()]
}

/** Replaces the account's summary, unless another process has saved one that includes later events. */
const saveSummary = (db: Database, accountId: string, { names, eventId }: CountedNames): Promise<void> =>
  db.transaction().execute(async (transaction) => {
    if (!(await advanceSummary(transaction, accountId, eventId))) return
    const present = names.map(({ name }) => name)
    await deleteOtherNames(transaction, accountId, present)
    await writeNames(transaction, accountId, names)
  })

function keepMostUsed(counts: Map<string, NameCount>, limit: number): void {
  const targetsOf = ({ devices, services }: NameCount): number => devices + services
  const byUse = [...counts.values()].sort((one, other) => targetsOf(other) - targetsOf(one))
  for (const { name } of byUse.slice(limit)) counts.delete(name)
}

/** Adds the names that are no longer in use, because filters also accept those names. */
function withFormerNames(
  names: readonly AttributeName[],
  recent: Readonly<Record<string, number>>,
  former: CountedNames | undefined,
): AttributeName[] {
  const present = new Set(names.map(({ name }) => name))
  const changes = new Map((former?.names ?? []).map(({ name, lastChanged }) => [name, lastChanged]))
  for (const [name, changed] of Object.entries(recent)) changes.set(name, new Date(changed))
  const gone = [...changes]
    .filter(([name]) => !present.has(name))
    .map(([name, lastChanged]) => ({ name, devices: 0, services: 0, lastChanged }))
    .sort((one, other) => Number(other.lastChanged) - Number(one.lastChanged))
  return [...names, ...gone.slice(0, Math.max(0, limits.attributeNames - names.length))]
}

function withLastChanges(
  counts: readonly NameCount[],
  recent: Readonly<Record<string, number>>,
  former: readonly AttributeName[],
): AttributeName[] {
  const before = new Map(former.map(({ name, lastChanged }) => [name, lastChanged]))
  const changes = new Map(Object.entries(recent))
  return counts.map((count) => {
    const changed = changes.get(count.name)
    return { ...count, lastChanged: changed === undefined ? (before.get(count.name) ?? null) : new Date(changed) }
  })
}

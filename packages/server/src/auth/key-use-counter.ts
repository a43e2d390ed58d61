import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import type { DocumentNeeds, OperationUse } from '../graphql/access/needed-permissions.ts'
import type { Viewer } from '../viewer.ts'
import { insertKeyUse, type KeyUseRow } from './key-use-counter.queries.ts'

const WRITE_EVERY_MS = 60_000
/** When this many counts are in memory, the server writes them early to limit memory use. */
const MAX_COUNTED = 5_000

export interface KeyUse {
  /** Ignores callers without an access key. */
  count(viewer: Viewer, use: OperationUse): void
  close(): Promise<void>
}

interface Counted {
  readonly accountId: string
  readonly key: string
  readonly permissions: number
  readonly documents: Map<DocumentNeeds, { uses: number; at: Date }>
  readonly rejected: Map<string, { field: string; permission: string; count: number; at: Date }>
}

/** Counts in memory how often access keys use each field, and writes the counts in the background within a minute. */
export function createKeyUse(db: Database, clock: () => Date, log: FastifyBaseLogger): KeyUse {
  let keys = new Map<string, Counted>()
  let size = 0
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const write = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const counted = [...keys.values()]
    keys = new Map()
    size = 0
    if (counted.length > 0) writing = writing.then(() => writeOrLog(db, counted, log))
    return writing
  }

  const countedOf = ({ accountId, permissions = 0 }: Viewer, key: string): Counted => {
    // Count a key's uses separately for each set of permissions. If one of several permissions is enough for a field,
    // the set determines which of them counts as used.
    const id = `${key} ${permissions}`
    let counted = keys.get(id)
    if (counted === undefined) {
      counted = { accountId, key, permissions, documents: new Map(), rejected: new Map() }
      keys.set(id, counted)
    }
    return counted
  }

  return {
    count(viewer, { needs, rejected, isRejected = false }) {
      if (viewer.accessKey === undefined || needs.all.length === 0) return
      const { documents, rejected: rejections } = countedOf(viewer, viewer.accessKey)
      const at = clock()
      if (rejected !== undefined) {
        for (const { field, permission } of needs.all.filter((need) => rejected(need.field))) {
          const id = `${field} ${permission}`
          const before = rejections.get(id)
          if (before === undefined) size++
          rejections.set(id, { field, permission, count: (before?.count ?? 0) + 1, at })
        }
      }
      if (!isRejected) {
        const used = rejected === undefined ? needs : needs.without(rejected)
        const before = documents.get(used)
        if (before === undefined) {
          documents.set(used, { uses: 1, at })
          size++
        } else {
          before.uses++
          before.at = at
        }
      }
      if (size >= MAX_COUNTED) write()
      else timer ??= setTimeout(write, WRITE_EVERY_MS).unref()
    },
    close: write,
  }
}

async function writeOrLog(db: Database, counted: readonly Counted[], log: FastifyBaseLogger): Promise<void> {
  for (const [accountId, keys] of Map.groupBy(counted, (each) => each.accountId)) {
    try {
      await insertKeyUse(db, accountId, rowsOf(keys))
    } catch (error) {
      log.warn({ err: error, keys: keys.length }, 'cannot record the usage of access keys')
    }
  }
}

function rowsOf(counted: readonly Counted[]): KeyUseRow[] {
  const rows = new Map<string, KeyUseRow>()
  const add = (row: Omit<KeyUseRow, 'day'>, at: Date): void => {
    const day = startOfDay(at)
    const id = [row.key, day.getTime(), row.field, row.permission].join(' ')
    const before = rows.get(id)
    rows.set(id, {
      ...row,
      day,
      uses: row.uses + (before?.uses ?? 0),
      rejected: row.rejected + (before?.rejected ?? 0),
      lastUsed: later(before?.lastUsed ?? null, row.lastUsed),
    })
  }
  for (const { key, permissions, documents, rejected } of counted) {
    for (const [needs, { uses, at }] of documents)
      for (const need of needs.usedBy(permissions)) add({ key, ...need, uses, rejected: 0, lastUsed: minuteOf(at) }, at)
    for (const { field, permission, count, at } of rejected.values())
      add({ key, field, permission, uses: 0, rejected: count, lastUsed: null }, at)
  }
  return [...rows.values()]
}

const minuteOf = (at: Date): Date => new Date(at.getTime() - (at.getTime() % 60_000))

/** Returns the beginning of the day in UTC. */
export const startOfDay = (at: Date): Date => new Date(at.getTime() - (at.getTime() % 86_400_000))

const later = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other > one) ? other : one

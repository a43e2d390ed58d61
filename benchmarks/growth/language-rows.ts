import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'
import { matching } from './fleets.ts'
import type { BackgroundLoad, Row } from './measure-ratio.ts'
import type { User } from './servers.ts'

const PAGE = 100
/** The target for the longest request. It exceeds the default of MUSTER_FILTER_SECONDS, 5 seconds. */
export const LIMIT_MS = 5_500

const list = (where: string): string =>
  `{ login { devices(size: ${PAGE}, where: ${JSON.stringify(where)}) { items { id name state } hasMore cursor } } }`

const common = list('firmware >= "3"')
const rare = list(`lot:${matching.lot.slice(1)}`)

export function languageRows(small: Fleet, large: Fleet): Row[] {
  const onBoth = (title: string, targetMs: Row['targetMs'], document: string): Row => ({
    title,
    ...(targetMs !== undefined && { targetMs }),
    small: () => small.user.query(document),
    large: () => large.user.query(document),
  })
  const facets = (turn: number): string =>
    // The server caches facets for ten seconds, so consecutive requests ask for different numbers of values.
    `{ login { facets(by: "site", size: ${1 + (turn % 100)}) { buckets { value count active } other missing total } } }`
  const other = (): ReturnType<User['query']> =>
    small.user.query('{ login { devices(size: 10) { items { id name state } } } }')
  return [
    onBoth('where with an index, few matches', { median: 50 }, list(`lot = ${matching.lot}`)),
    onBoth('where with an index, many matches', { median: 50 }, list('site = oslo')),
    onBoth('where without an index, many matches', { median: 50 }, common),
    onBoth('where without an index, few matches', { median: 2_000, longest: LIMIT_MS }, rare),
    {
      title: 'facets of one name',
      targetMs: { median: 2_000, longest: LIMIT_MS },
      small: (turn) => small.user.query(facets(turn)),
      large: (turn) => large.user.query(facets(turn)),
    },
    { title: 'another user, alone', smallName: 'page of 10', largeName: 'the same', small: other, large: other },
    {
      title: 'another user, while filters read every device',
      smallName: 'page of 10',
      largeName: 'the same',
      small: other,
      large: other,
      startBackgroundLoad: () => startFilters(large.user),
    },
  ]
}

/**
 * Sends requests with a filter that uses no index, four at a time. The returned function stops sending, waits for
 * the last responses, and reports how many requests were sent and how many of them were rejected.
 */
function startFilters(user: User): () => Promise<BackgroundLoad> {
  let sent = 0
  let rejected = 0
  let isStopped = false
  const send = async (): Promise<void> => {
    while (!isStopped) {
      sent++
      // The server rejects a filter that waits in the account's queue for too long or runs for too long.
      await user.query(rare).catch(async () => {
        rejected++
        await sleep(100)
      })
    }
  }
  const running = Promise.all(Array.from({ length: 4 }, send))
  return async () => {
    isStopped = true
    await running
    return { note: `${sent} filters, ${rejected} of them rejected`, isEnough: true }
  }
}

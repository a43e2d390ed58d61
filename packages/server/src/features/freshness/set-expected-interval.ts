import type { Context } from '../../context.ts'
import { assertBelowLimit, badInput, notFound } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { MutationSetExpectedIntervalArgs } from '../../resolvers.generated.ts'
import { insideOf } from '../../restriction.ts'
import { assertWritable } from '../attributes/attribute-access.ts'
import {
  assertAllowed,
  assertVisibleNames,
  joinAttributeName,
  parseAttributeName,
} from '../attributes/attribute-name.ts'
import { recordEvents } from '../events/record.ts'
import { outside } from '../restrictions/assert-may-change.ts'
import { lockAccount } from '../users/users.ts'
import { deleteInterval, upsertInterval } from './expected-intervals.queries.ts'
import { type Freshness, listIntervals } from './expected-intervals.ts'

const MIN_SECONDS = 60
const MAX_SECONDS = 31_536_000

/** Returns null if the change removes the interval. */
export async function setExpectedInterval(
  context: Context,
  change: MutationSetExpectedIntervalArgs,
): Promise<Freshness | null> {
  const { viewer } = context
  const { accountId } = viewer
  if (insideOf(viewer) !== undefined)
    throw outside('a caller who is restricted to some devices cannot change expected intervals')
  const parsed = parseAttributeName(change.name, 'name')
  const name = joinAttributeName(parsed)
  const seconds = readSeconds(change.seconds)
  assertAllowed(parsed, '', 'device', 'name')
  assertVisibleNames([{ name: parsed, value: '' }], { path: 'name' })
  assertWritable(viewer, { name: parsed })
  await context.db.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, accountId))) throw notFound('account', accountId)
    const intervals = await listIntervals(transaction, accountId)
    const old = intervals.get(name) ?? null
    if (old === seconds) return
    if (seconds === null) await deleteInterval(transaction, accountId, name)
    else {
      if (old === null) assertFewIntervals(intervals.size)
      await upsertInterval(transaction, accountId, { name, seconds })
    }
    const targets = [{ id: accountId, name: viewer.email, kind: 'user' as const }]
    const data = { name, seconds: { old, new: seconds } }
    await recordEvents(transaction, context, [{ type: 'FRESHNESS_UPDATE', targets, data }])
  })
  return seconds === null ? null : { name, seconds }
}

/** Rejects undefined, because a client that omits the interval by accident must not remove it. */
function readSeconds(seconds: number | null | undefined): number | null {
  if (seconds === undefined)
    throw badInput('seconds is required: pass the interval in seconds, such as 3600, or null to remove it')
  if (seconds !== null && (seconds < MIN_SECONDS || seconds > MAX_SECONDS))
    throw badInput(`seconds must be from ${MIN_SECONDS} to ${MAX_SECONDS}, not ${seconds}`)
  return seconds
}

function assertFewIntervals(found: number): void {
  const objects = 'attribute names with an expected interval'
  const remedy = 'remove the interval of another attribute name first'
  assertBelowLimit(objects, { limit: limits.expectedIntervals, found }, remedy)
}

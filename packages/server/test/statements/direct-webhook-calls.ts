import { checkFilter } from '@muster/filter'
import type { Database } from '../../src/db/database.ts'
import { judgeEvents } from '../../src/features/judging/judge.ts'
import * as candidates from '../../src/features/webhooks/candidates.queries.ts'
import * as deliveries from '../../src/features/webhooks/deliveries.queries.ts'
import * as fanOut from '../../src/features/webhooks/fan-out/fan-out.queries.ts'
import * as results from '../../src/features/webhooks/sending/attempt-results.queries.ts'
import * as backlog from '../../src/features/webhooks/sending/backlog.queries.ts'
import * as sending from '../../src/features/webhooks/sending/sending.queries.ts'
import * as webhooks from '../../src/features/webhooks/webhooks.queries.ts'

export type Send = (db: Database) => Promise<unknown>

interface Existing {
  accountId: string
  device: string
  webhook: string
  event: string
  now: Date
}

/** Returns calls to the query functions that create, filter, and send the deliveries of webhooks. */
export function directWebhookCalls({ accountId, device: id, webhook, event, now }: Existing): Send[] {
  const address = { accountId, webhookId: webhook }
  const range = { after: 0n, upTo: BigInt(event), limit: 1 }
  const attempt = { httpStatus: null, duration: 1, error: null, response: null }
  return [
    (db) => webhooks.resetSending(db, accountId, webhook),
    (db) => deliveries.restartDelivery(db, accountId, { webhookId: webhook, id: 'none' }),
    (db) => deliveries.restartFailed(db, accountId, { webhookId: webhook, since: now }),
    (db) => deliveries.deleteDeliveriesBefore(db, { before: now, limit: 1 }),
    (db) => fanOut.readCursor(db),
    (db) => fanOut.moveCursor(db, { from: 0n, to: 0n }),
    (db) => fanOut.hideCursor(db),
    (db) => fanOut.selectOwed(db, range),
    (db) => candidates.insertCandidates(db, [{ ...address, eventId: event }]),
    (db) => candidates.selectCandidates(db, address, 1),
    (db) => candidates.selectPassing(db, accountId, [event]),
    (db) => candidates.removeCandidates(db, address, [event]),
    (db) => candidates.deleteCandidatesBefore(db, { before: new Date(0), limit: 1 }),
    (db) => candidates.selectWaiting(db),
    ...['name:a', 'any("a") services:(state = active)', 'lastReported < -1d contexts = night'].map(
      (where): Send =>
        (db) =>
          judgeEvents(db, accountId, {
            selection: { filter: checkFilter(where).filter!, context: 'night' },
            events: [{ id: event, type: 'ATTRIBUTE_CHANGE', timestamp: now, deviceId: id }],
          }),
    ),
    (db) => fanOut.readOldestAge(db, range),
    (db) => fanOut.insertDeliveries(db, [{ ...address, id: 'new', eventId: event, body: '{}' }]),
    (db) => backlog.countUndelivered(db),
    (db) => backlog.readLongestDue(db),
    (db) =>
      results.writeResults(db, accountId, [
        { ...address, ...attempt, id: 'none', tries: 0, status: 'failed', delay: null },
      ]),
    (db) =>
      results.writeHealth(db, accountId, {
        changes: [{ ...address, failures: 1, probeIn: 1 }],
        holder: 'process',
        days: 1,
      }),
    (db) => sending.takeHold(db, address, 'process'),
    (db) => sending.findHoldEnd(db, address),
    (db) => sending.renewHolds(db, accountId, { holder: 'process', webhookIds: [webhook] }),
    (db) => sending.releaseHold(db, address, 'process'),
    (db) => sending.selectDue(db, address, { except: [], limit: 1 }),
    (db) => sending.secondsUntilDue(db, address),
    (db) => sending.selectNeglected(db),
  ]
}

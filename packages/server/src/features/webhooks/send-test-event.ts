import type { Context } from '../../context.ts'
import { limitExceeded, notFound } from '../../errors.ts'
import { assertStorable } from '../../lib/string-checks.ts'
import { insertFinished } from './deliveries.queries.ts'
import { attempt, receiverOf } from './sending/attempt.ts'
import { evaluate } from './sending/retry-policy.ts'
import { newMessageId } from './signed-message.ts'
import type { WebhookDelivery } from './webhook.ts'
import { findSendable, findWebhookRow } from './webhooks.queries.ts'

/** The maximum number of concurrent tests per account and server process. */
const MAX_TESTS = 4

const inFlight = new Map<string, number>()

/**
 * Runs a test, or throws LIMIT_EXCEEDED if the account is already running `MAX_TESTS` tests in this process. Without
 * this limit, one account's tests of slow receivers could exhaust the limits on requests in flight
 * (`MUSTER_MOST_REQUESTS`, `MUSTER_MOST_STANDING`).
 */
async function withTestLimit<Result>(accountId: string, run: () => Promise<Result>): Promise<Result> {
  const before = inFlight.get(accountId) ?? 0
  if (before >= MAX_TESTS) {
    const message = `the account is already running ${MAX_TESTS} webhook tests: wait until one finishes`
    throw limitExceeded(message)
  }
  inFlight.set(accountId, before + 1)
  try {
    return await run()
  } finally {
    const left = inFlight.get(accountId)! - 1
    if (left === 0) inFlight.delete(accountId)
    else inFlight.set(accountId, left)
  }
}

/** Sends a test event and saves the result. A failed test is not retried. */
export async function testWebhook(context: Context, webhookId: string): Promise<WebhookDelivery> {
  const { db, viewer, secrets, outbound, clock } = context
  const { accountId } = viewer
  assertStorable(webhookId, 'id')
  const row = await findSendable(db, accountId, webhookId)
  if (row === undefined) throw notFound('webhook', webhookId)

  const now = clock()
  const message = { id: newMessageId(), body: testBody(context, { webhookId, now }) }
  const receiver = receiverOf(row, { accountId, webhookId }, { secrets, now })
  const result = await withTestLimit(accountId, () => attempt(message, receiver, { outbound, now }))
  const { status, error } = evaluate(result, { tries: 0, schedule: [], now })
  if ((await findWebhookRow(db, accountId, webhookId)) === undefined) throw notFound('webhook', webhookId)
  return insertFinished(db, accountId, {
    ...message,
    webhookId,
    status: status === 'delivered' ? 'delivered' : 'failed',
    httpStatus: result.status,
    duration: result.duration,
    error,
    response: result.status === null ? null : result.body,
  })
}

function testBody({ viewer }: Context, { webhookId, now }: { webhookId: string; now: Date }): string {
  const owner = { id: viewer.accountId, email: viewer.email }
  return JSON.stringify({ type: 'webhook.test', timestamp: now, data: { owner, webhook: webhookId } })
}

import type { Database } from '../../../db/database.ts'
import type { OutboundResult } from '../../../outbound/outbound-post.ts'
import type { WebhookAddress } from '../webhook-channel.ts'
import type { Results } from './attempt-results.ts'
import { pauseOrDisable } from './pause-or-disable.ts'
import { type Evaluation, evaluate } from './retry-policy.ts'
import type { DueDelivery, Health } from './sending.queries.ts'

export interface RecordAttemptDeps {
  db: Database
  results: Results
  webhook: WebhookAddress
  schedule: readonly number[]
}

export interface Ended {
  delivery: DueDelivery
  url: URL
  result: OutboundResult
  evaluation: Evaluation
  /** The receiver's new health, or undefined if it did not change. */
  health: Health | undefined
}

/** Records the result of an attempt. `isStopped` means that this result made the server stop sending to the URL. */
export async function recordAttempt(deps: RecordAttemptDeps, ended: Ended): Promise<{ isStopped: boolean }> {
  const { db, results, webhook } = deps
  const { delivery, url, result, health } = ended
  // A 410 response ends the delivery only if the server also stops sending to the URL, so the webhook is disabled
  // first.
  const isReplaced = ended.evaluation.isGone && !(await pauseOrDisable(db, webhook, { reason: 'gone', url }))
  const { isGone, ...evaluation } = isReplaced ? evaluateReplaced(deps, ended) : ended.evaluation
  const { isHopeless } = await results.add(
    {
      ...webhook,
      ...evaluation,
      id: delivery.id,
      tries: delivery.tries,
      httpStatus: result.status,
      duration: result.duration,
      response: result.status === null ? null : result.body,
    },
    health && { ...webhook, ...health },
  )
  const isStopped = isGone || (isHopeless && (await pauseOrDisable(db, webhook, { reason: 'hopeless', url })))
  return { isStopped }
}

const evaluateReplaced = ({ schedule }: RecordAttemptDeps, { result, delivery: { tries } }: Ended): Evaluation =>
  evaluate(result, { tries, schedule, now: new Date(), isReplaced: true })

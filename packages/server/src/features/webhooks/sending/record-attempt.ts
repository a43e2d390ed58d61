import type { Database } from '../../../db/database.ts'
import type { OutboundAnswer } from '../../../outbound/outbound.ts'
import type { WebhookAddress } from '../webhook-channel.ts'
import type { Results } from './results.ts'
import { judge, type Verdict } from './retry-policy.ts'
import type { DueDelivery, Health } from './sending.queries.ts'
import { stopSending } from './stop-sending.ts'

export interface RecordAttemptDeps {
  db: Database
  results: Results
  webhook: WebhookAddress
  schedule: readonly number[]
}

/** An attempt that has ended. */
export interface Ended {
  delivery: DueDelivery
  /** The URL of the attempt. */
  url: URL
  answer: OutboundAnswer
  verdict: Verdict
  /** The receiver's health, if it changed. */
  health: Health | undefined
}

/** Resolves when the outcome of an attempt is committed. `isStopped`: because of it, nothing more is sent to the URL. */
export async function recordAttempt(deps: RecordAttemptDeps, ended: Ended): Promise<{ isStopped: boolean }> {
  const { db, results, webhook } = deps
  const { delivery, url, answer, health } = ended
  // First, because the delivery ends only if the sending ends.
  const isFormer = ended.verdict.isGone && !(await stopSending(db, webhook, { reason: 'gone', url }))
  const { isGone, ...verdict } = isFormer ? ofFormer(deps, ended) : ended.verdict
  const { isHopeless } = await results.add(
    {
      ...webhook,
      ...verdict,
      id: delivery.id,
      tries: delivery.tries,
      httpStatus: answer.status,
      duration: answer.duration,
      response: answer.status === null ? null : answer.body,
    },
    health && { ...webhook, ...health },
  )
  const isStopped = isGone || (isHopeless && (await stopSending(db, webhook, { reason: 'hopeless', url })))
  return { isStopped }
}

const ofFormer = ({ schedule }: RecordAttemptDeps, { answer, delivery: { tries } }: Ended): Verdict =>
  judge(answer, { tries, schedule, now: new Date(), isFormer: true })

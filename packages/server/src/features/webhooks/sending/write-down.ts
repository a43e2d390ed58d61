import type { Database } from '../../../db/database.ts'
import type { OutboundAnswer } from '../../../outbound/outbound.ts'
import type { WebhookAddress } from '../webhook-channel.ts'
import type { Results } from './results.ts'
import type { DueDelivery, Health } from './sending.queries.ts'
import { stopSending } from './stop-sending.ts'
import { judge, type Verdict } from './verdict.ts'

export interface WriteDownDeps {
  db: Database
  results: Results
  webhook: WebhookAddress
  schedule: readonly number[]
}

/** An attempt that has ended. */
export interface Ended {
  delivery: DueDelivery
  /** Where it went. */
  url: URL
  answer: OutboundAnswer
  verdict: Verdict
  /** What it says of the receiver, if anything new. */
  health: Health | undefined
}

/** Resolves once it is committed how an attempt went. `isStopped`: for what it says nothing more is sent to its URL. */
export async function writeDown(deps: WriteDownDeps, ended: Ended): Promise<{ isStopped: boolean }> {
  const { db, results, webhook } = deps
  const { delivery, url, answer, health } = ended
  // First: it ends the delivery only where it ends the sending.
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

const ofFormer = ({ schedule }: WriteDownDeps, { answer, delivery: { tries } }: Ended): Verdict =>
  judge(answer, { tries, schedule, now: new Date(), isFormer: true })

import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import type { Secrets } from '../../../auth/secrets.ts'
import type { Database } from '../../../db/database.ts'
import { pause } from '../../../lib/pause.ts'
import type { Outbound, OutboundResult } from '../../../outbound/outbound-post.ts'
import type { WebhookAddress } from '../webhook-channel.ts'
import { findSendable } from '../webhooks.queries.ts'
import { attempt, type Receiver, receiverOf } from './attempt.ts'
import type { Results } from './attempt-results.ts'
import type { Throttle } from './attempt-throttle.ts'
import { createBreaker } from './circuit-breaker.ts'
import { recordAttempt } from './conclude-attempt.ts'
import { evaluate } from './retry-policy.ts'
import { type DueDelivery, type Health, selectDue } from './sending.queries.ts'

export interface RunnerDeps {
  db: Database
  secrets: Secrets
  outbound: Outbound
  results: Results
  /** Slows down sending under high load, because requests have priority. */
  throttle: Throttle
  log: FastifyBaseLogger
  /** How many seconds to wait after the first, second, and each later failed attempt. */
  schedule: readonly number[]
  onAttempt: (result: OutboundResult) => void
  /** `free` is the number of further attempts that the process can start, for all webhooks together. */
  slots: { free: number }
}

export interface Runner {
  /** Makes the runner check for new deliveries. If `isChanged` is set, the runner also reads the webhook again. */
  wake(isChanged?: boolean): void
  /** Starts no further attempts, and aborts attempts that are still in flight after `within` milliseconds. */
  stop(within: number): void
  /** Resolves when the runner has ended. Never rejects. */
  ended: Promise<RunnerEnd>
}

export interface RunnerEnd {
  /** The number of seconds until a new run is useful, or null if the webhook must change first. */
  restFor: number | null
  isWoken: boolean
}

const FETCH = 100
const MIN_QUEUE = 20
const RECEIVER_CACHE_MS = 1_000
/** The runner polls because no notification announces due retries. */
const POLL_MS = 1_000
/** How long, in milliseconds, the process holds an idle webhook, so that it can send a new delivery immediately. */
const LINGER_MS = 2_000
/** The pause, in milliseconds, between rounds under high load. Reads and writes during the pause share batches. */
const SLOWED_MS = 100
const RETRY_SECONDS = 5
const INITIAL_HEALTH: Health = { failures: 0, probeIn: null }

export function startRunner(deps: RunnerDeps, webhook: WebhookAddress, health: Health): Runner {
  const { db, secrets, outbound, throttle, log, slots } = deps
  let breaker = createBreaker(health)
  const stopping = new AbortController()
  const cutting = new AbortController()
  const inFlight = new Set<Promise<void>>()
  /** The IDs of deliveries that have been read and whose outcomes have not been saved yet. */
  const unsaved = new Set<string>()
  let queue: DueDelivery[] = []
  let signal = Promise.withResolvers<void>()
  let mayHaveMore = true
  let isWoken = false
  let polledAt = 0
  let receiver: Receiver | undefined
  let readAt = Number.NEGATIVE_INFINITY

  /** Returns undefined if the webhook is deleted, disabled, or paused. */
  const currentReceiver = async (): Promise<Receiver | undefined> => {
    if (performance.now() - readAt < RECEIVER_CACHE_MS) return receiver
    const row = await findSendable(db, webhook.accountId, webhook.webhookId)
    readAt = performance.now()
    const former = receiver
    receiver = row?.enabled && row.paused === null ? receiverOf(row, webhook, { secrets, now: new Date() }) : undefined
    if (former !== undefined && !isCurrent(former)) breaker = createBreaker(INITIAL_HEALTH)
    return receiver
  }

  const isCurrent = ({ url }: Receiver): boolean => url.href === receiver?.url.href

  const fetchDue = async (): Promise<void> => {
    if (queue.length >= MIN_QUEUE || !(mayHaveMore || performance.now() - polledAt >= POLL_MS)) return
    mayHaveMore = false
    const due = await selectDue(db, webhook, { except: [...unsaved], limit: FETCH })
    polledAt = performance.now()
    if (due.mayHaveMore) mayHaveMore = true
    for (const delivery of due.deliveries) unsaved.add(delivery.id)
    queue.push(...due.deliveries)
  }

  const startAttempts = (to: Receiver): void => {
    const possible = Math.min(queue.length, breaker.allowed() - inFlight.size, slots.free)
    for (const delivery of queue.splice(0, possible > 0 ? throttle.take(possible) : 0)) {
      slots.free--
      const one = send(delivery, to).finally(() => {
        inFlight.delete(one)
        signal.resolve()
      })
      inFlight.add(one)
    }
  }

  const send = async (delivery: DueDelivery, to: Receiver): Promise<void> => {
    const result = await attempt(delivery, to, { outbound, now: new Date(), signal: cutting.signal }).finally(() => {
      slots.free++
    })
    if (cutting.signal.aborted) return
    deps.onAttempt(result)
    const evaluation = evaluate(result, { tries: delivery.tries, schedule: deps.schedule, now: new Date() })
    // The result of sending to a previous URL says nothing about the health of the current receiver.
    const health = isCurrent(to) ? breaker.add(evaluation.status === 'delivered', result.duration) : undefined
    // The runner does not wait here, because the next attempts can start while this outcome is saved.
    void recordAttempt({ ...deps, webhook }, { delivery, url: to.url, result, evaluation, health })
      .then(({ isStopped }) => {
        if (isStopped) readAt = Number.NEGATIVE_INFINITY
      })
      .catch((error: unknown) =>
        log.debug({ err: error, ...webhook }, 'could not save a delivery result; the delivery will be attempted again'),
      )
      .finally(() => {
        unsaved.delete(delivery.id)
        signal.resolve()
      })
  }

  const run = async (): Promise<Pick<RunnerEnd, 'restFor'>> => {
    let idleSince: number | undefined
    while (!stopping.signal.aborted) {
      signal = Promise.withResolvers()
      isWoken = false
      const to = await currentReceiver()
      if (to === undefined) return { restFor: null }
      if (breaker.allowed() > 0) await fetchDue()
      startAttempts(to)
      if (inFlight.size + unsaved.size === 0) {
        if (breaker.allowed() === 0) break
        idleSince ??= performance.now()
        if (performance.now() - idleSince >= LINGER_MS) break
      } else {
        if (inFlight.size === 0 && breaker.allowed() === 0) {
          // Queued deliveries remain pending in the database, so the next runner finds them.
          for (const { id } of queue) unsaved.delete(id)
          queue = []
          if (unsaved.size === 0) break
        }
        idleSince = undefined
      }
      if (throttle.isSlowed()) await pause(SLOWED_MS, stopping.signal)
      else await Promise.race([signal.promise, pause(POLL_MS, stopping.signal)])
    }
    return { restFor: (breaker.probeIn() ?? 0) / 1_000 }
  }

  const finish = async (): Promise<RunnerEnd> => {
    const end = await run().catch((error: unknown) => {
      log.warn(
        { err: error, ...webhook },
        `sending deliveries to a webhook was interrupted; retrying after ${RETRY_SECONDS} seconds`,
      )
      return { restFor: RETRY_SECONDS }
    })
    await Promise.all(inFlight)
    return { ...end, isWoken }
  }

  return {
    wake(isChanged = false) {
      if (isChanged) readAt = Number.NEGATIVE_INFINITY
      mayHaveMore = true
      isWoken = true
      signal.resolve()
    },
    stop(within) {
      stopping.abort()
      setTimeout(() => cutting.abort(), within).unref()
    },
    ended: finish(),
  }
}

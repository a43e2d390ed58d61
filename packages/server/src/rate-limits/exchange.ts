import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import { notifySpending, spendingChannel } from './exchange.queries.ts'
import type { Budget } from './token-buckets.ts'

const REPORT_EVERY_MS = 500
/** The maximum number of subjects in one notification. PostgreSQL requires a payload of fewer than 8,000 bytes. */
const SUBJECTS_PER_PAYLOAD = 80
const SUBJECTS = 1_000

export interface ExchangeOptions {
  db: Database
  /** If notifications do not arrive, each process counts only its own spending. */
  notifications: Pick<Notifications, 'subscribe'>
  log: FastifyBaseLogger
}

export interface Exchange {
  close(): Promise<void>
}

type Spent = [budget: string, subject: string, points: number]

export function exchangeSpending(
  budgets: readonly Pick<Budget, 'policy' | 'report' | 'applyRemoteSpending'>[],
  { db, notifications, log }: ExchangeOptions,
): Exchange {
  const self = randomUUID()
  const byName = new Map(budgets.map((budget) => [budget.policy.name, budget]))

  const report = async (): Promise<void> => {
    const spent = budgets.flatMap((budget) =>
      budget.report(SUBJECTS).map(([subject, points]): Spent => [budget.policy.name, subject, points]),
    )
    if (spent.length > 0) await notifySpending(db, payloadsOf(self, spent))
  }

  let reporting: Promise<void> | undefined
  const timer = setInterval(() => {
    reporting ??= report()
      // A failed report is not sent again, so the other processes never count its points.
      .catch((error: unknown) => log.debug({ err: error }, 'cannot report quota usage to the other server processes'))
      .finally(() => {
        reporting = undefined
      })
  }, REPORT_EVERY_MS).unref()

  const listener = notifications.subscribe({
    channel: spendingChannel,
    onNotification({ payload }) {
      const report = readPayload(payload)
      if (report.from === self) return
      for (const [budget, subject, points] of report.spent) byName.get(budget)?.applyRemoteSpending(subject, points)
    },
    onGap() {},
  })

  return {
    async close() {
      clearInterval(timer)
      await reporting
      listener.close()
    },
  }
}

function payloadsOf(from: string, spent: readonly Spent[]): string[] {
  const count = Math.ceil(spent.length / SUBJECTS_PER_PAYLOAD)
  const parts = Array.from({ length: count }, (_, index) =>
    spent.slice(index * SUBJECTS_PER_PAYLOAD, (index + 1) * SUBJECTS_PER_PAYLOAD),
  )
  return parts.map((part) => JSON.stringify({ from, spent: part }))
}

/** Ignores payloads in another release's format. */
function readPayload(payload: string): { from: unknown; spent: Spent[] } {
  try {
    const { from, spent } = JSON.parse(payload) as { from: unknown; spent: unknown }
    return { from, spent: Array.isArray(spent) ? spent.filter(isSpent) : [] }
  } catch {
    return { from: undefined, spent: [] }
  }
}

const isSpent = (item: unknown): item is Spent =>
  Array.isArray(item) && typeof item[0] === 'string' && typeof item[1] === 'string' && Number.isFinite(item[2])

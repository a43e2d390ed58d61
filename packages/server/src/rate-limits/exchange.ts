import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import type { Budget } from './budget.ts'
import { notifySpending, spendingChannel } from './spending.queries.ts'

const EVERY_MS = 500
/** Subjects in one notification, whose payload may have 8000 bytes. */
const TOGETHER = 80
/** Subjects of a budget that are told of at a time. */
const SUBJECTS = 1_000

export interface ExchangeOptions {
  db: Database
  /** Of what is spent on other servers. While they do not arrive, each server counts by itself. */
  notifications: Pick<Notifications, 'subscribe'>
  log: FastifyBaseLogger
}

export interface Exchange {
  close(): Promise<void>
}

type Spent = [budget: string, subject: string, points: number]

/** Tells the other server processes what was spent here, while something was, and takes what they tell from the budgets. */
export function exchangeSpending(budgets: readonly Budget[], { db, notifications, log }: ExchangeOptions): Exchange {
  const self = randomUUID()
  const byName = new Map(budgets.map((budget) => [budget.policy.name, budget]))

  const tell = async (): Promise<void> => {
    const spent = budgets.flatMap((budget) =>
      budget.report(SUBJECTS).map(([subject, points]): Spent => [budget.policy.name, subject, points]),
    )
    if (spent.length > 0) await notifySpending(db, payloadsOf(self, spent))
  }

  let telling: Promise<void> | undefined
  const timer = setInterval(() => {
    telling ??= tell()
      // What the database was away for, nobody hears of: each process counts by itself then.
      .catch((error: unknown) => log.debug({ err: error }, 'the other servers were not told what was spent here'))
      .finally(() => {
        telling = undefined
      })
  }, EVERY_MS).unref()

  const listener = notifications.subscribe({
    channel: spendingChannel,
    onNotification({ payload }) {
      const told = readPayload(payload)
      if (told.from === self) return
      for (const [budget, subject, points] of told.spent) byName.get(budget)?.takenElsewhere(subject, points)
    },
    onGap() {},
  })

  return {
    async close() {
      clearInterval(timer)
      await telling
      listener.close()
    },
  }
}

function payloadsOf(from: string, spent: readonly Spent[]): string[] {
  const count = Math.ceil(spent.length / TOGETHER)
  const parts = Array.from({ length: count }, (_, index) => spent.slice(index * TOGETHER, (index + 1) * TOGETHER))
  return parts.map((part) => JSON.stringify({ from, spent: part }))
}

/** What another release may tell otherwise is left alone. */
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

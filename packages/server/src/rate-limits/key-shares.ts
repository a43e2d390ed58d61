import { type Budget, type BudgetOptions, createBudget, type Policy } from './budget.ts'

/** The minimum capacity of an access key's quota, in points, however small its share. */
const LEAST_CAPACITY = 20

/** The budgets of access keys that may spend only a share of their account's quota. */
export interface KeyShares {
  /**
   * Returns the budget of all keys with this share, in percent. The budget charges a key and its account together, or
   * neither. Use `subjectOf` for its subjects.
   */
  budgetOf(share: number): Budget
  /** The spending of all these keys, which is exchanged with other server processes. */
  readonly reported: Pick<Budget, 'policy' | 'report' | 'applyRemoteSpending'>
}

export const subjectOf = (accountId: string, key: string): string => `${accountId} ${key}`

const accountOf = (subject: string): string => subject.slice(0, subject.lastIndexOf(' '))

export function createKeyShares(accounts: Budget, options: BudgetOptions): KeyShares {
  const ofKeys = new Map<number, Budget>()

  const keysWith = (share: number): Budget => {
    let budget = ofKeys.get(share)
    if (budget === undefined) {
      budget = createBudget(policyOf(accounts.policy, share), options)
      ofKeys.set(share, budget)
    }
    return budget
  }

  const withShare = new Map<number, Budget>()
  return {
    budgetOf(share) {
      let budget = withShare.get(share)
      if (budget === undefined) {
        budget = together(keysWith(share), accounts)
        withShare.set(share, budget)
      }
      return budget
    },
    reported: {
      policy: { ...accounts.policy, name: 'key' },
      report: (subjects) =>
        Array.from(ofKeys).flatMap(([share, keys]) =>
          keys.report(subjects).map(([subject, points]): [string, number] => [`${share} ${subject}`, points]),
        ),
      applyRemoteSpending(name, points) {
        const end = name.indexOf(' ')
        const share = Number(name.slice(0, end))
        if (share >= 1 && share < 100) keysWith(share).applyRemoteSpending(name.slice(end + 1), points)
      },
    },
  }
}

const policyOf = ({ capacity, perSecond }: Policy, share: number): Policy => ({
  name: 'key',
  capacity: Math.min(capacity, Math.max(LEAST_CAPACITY, Math.floor((capacity * share) / 100))),
  perSecond: (perSecond * share) / 100,
})

/** Combines two budgets into one: the budget of a key's share, and the budget of the key's account. */
function together(keys: Budget, accounts: Budget): Budget {
  return {
    ...keys,
    take(subject, points) {
      const wait = keys.take(subject, points)
      if (wait > 0) return wait
      const waitOfAccount = accounts.take(accountOf(subject), points)
      if (waitOfAccount > 0) keys.give(subject, points)
      return waitOfAccount
    },
    give(subject, points) {
      keys.give(subject, points)
      accounts.give(accountOf(subject), points)
    },
    left: (subject) => Math.min(keys.left(subject), accounts.left(accountOf(subject))),
    due: (subject) => Math.max(keys.due(subject), accounts.due(accountOf(subject))),
  }
}

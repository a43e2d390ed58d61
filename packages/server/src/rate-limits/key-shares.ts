import { type Budget, type BudgetOptions, createBudget, type Policy } from './token-buckets.ts'

/** The minimum capacity of an access key's quota, in points, unless its account has a smaller quota. */
const MIN_CAPACITY = 20

/** The budgets of access keys that may spend only a share of their account's quota. */
export interface KeyShares {
  /**
   * Returns the budget of all keys whose share of the account's quota is this percentage. The budget charges both a key
   * and its account, or neither of them. Use `subjectOf` for its subjects.
   */
  budgetOf(share: number): Budget
  /** The spending of all keys with a share, for the exchange with other server processes. */
  readonly reported: Pick<Budget, 'policy' | 'report' | 'applyRemoteSpending'>
}

export const subjectOf = (accountId: string, key: string): string => `${accountId} ${key}`

const accountOf = (subject: string): string => subject.slice(0, subject.lastIndexOf(' '))

export function createKeyShares(accounts: Budget, options: BudgetOptions): KeyShares {
  const keyBudgets = new Map<number, Budget>()

  const keyBudgetWith = (share: number): Budget => {
    let budget = keyBudgets.get(share)
    if (budget === undefined) {
      budget = createBudget(policyOf(accounts.policy, share), options)
      keyBudgets.set(share, budget)
    }
    return budget
  }

  const combinedBudgets = new Map<number, Budget>()
  return {
    budgetOf(share) {
      let budget = combinedBudgets.get(share)
      if (budget === undefined) {
        budget = combine(keyBudgetWith(share), accounts)
        combinedBudgets.set(share, budget)
      }
      return budget
    },
    reported: {
      policy: { ...accounts.policy, name: 'key' },
      report: (subjects) =>
        Array.from(keyBudgets).flatMap(([share, keys]) =>
          keys.report(subjects).map(([subject, points]): [string, number] => [`${share} ${subject}`, points]),
        ),
      applyRemoteSpending(name, points) {
        const end = name.indexOf(' ')
        const share = Number(name.slice(0, end))
        if (share >= 1 && share < 100) keyBudgetWith(share).applyRemoteSpending(name.slice(end + 1), points)
      },
    },
  }
}

const policyOf = ({ capacity, perSecond }: Policy, share: number): Policy => ({
  name: 'key',
  capacity: Math.min(capacity, Math.max(MIN_CAPACITY, Math.floor((capacity * share) / 100))),
  perSecond: (perSecond * share) / 100,
})

function combine(keys: Budget, accounts: Budget): Budget {
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

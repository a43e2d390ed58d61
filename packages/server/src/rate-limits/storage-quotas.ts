import { ApiError, retryIn } from '../errors.ts'
import type { RootField } from '../graphql/prepare-operation.ts'
import { countChanges } from './point-prices.ts'
import { type Budget, type BudgetOptions, createBudget } from './token-buckets.ts'

const DAY_SECONDS = 86_400
/** The number of bytes that the server charges for the event that records a write. */
const EVENT_BYTES = 200

/**
 * A device's write counts toward the quotas of the device and its account. A user's mutation counts only toward the
 * account's quota.
 */
export interface StorageQuotas {
  readonly accounts: Budget
  /** If either quota is too low, charges neither and throws RATE_LIMITED. */
  chargeDevice(device: { accountId: string; deviceId: string }, bytes: number): void
  /** If the quota is too low, charges nothing and throws RATE_LIMITED. */
  chargeAccount(accountId: string, bytes: number): void
  /** Returns the daily quotas of a device and of the account, and the account's usage, all in bytes. */
  usage(accountId: string): { devicePerDay: number; accountPerDay: number; accountUsed: number }
}

export interface StorageQuotasOptions {
  deviceBytesPerDay: number
  accountBytesPerDay: number
  /** The options for the budgets of devices, which are not shared: a device has one MQTT connection at a time. */
  local: BudgetOptions
  /** The options for the budgets of accounts, which are shared with the other server processes. */
  shared: BudgetOptions
}

export function createStorageQuotas(options: StorageQuotasOptions): StorageQuotas {
  const { deviceBytesPerDay, accountBytesPerDay, local, shared } = options
  const perDay = (name: string, capacity: number) => ({ name, capacity, perSecond: capacity / DAY_SECONDS })
  const devices = createBudget(perDay('device-bytes', deviceBytesPerDay), local)
  const accounts = createBudget(perDay('account-bytes', accountBytesPerDay), shared)
  return {
    accounts,
    chargeDevice({ accountId, deviceId }, bytes) {
      charge(devices, deviceId, bytes, 'a device')
      try {
        charge(accounts, accountId, bytes, 'an account')
      } catch (error) {
        devices.give(deviceId, Math.min(bytes, deviceBytesPerDay))
        throw error
      }
    },
    chargeAccount: (accountId, bytes) => charge(accounts, accountId, bytes, 'an account'),
    usage: (accountId) => ({
      devicePerDay: deviceBytesPerDay,
      accountPerDay: accountBytesPerDay,
      accountUsed: accountBytesPerDay - accounts.left(accountId),
    }),
  }
}

function charge(budget: Budget, subject: string, bytes: number, whose: string): void {
  const { capacity } = budget.policy
  // A write that is larger than the daily quota is charged the whole quota.
  const retryAfter = Math.ceil(budget.take(subject, Math.min(bytes, capacity)))
  if (retryAfter === 0) return
  const message = `${whose} may store ${capacity} bytes per day, of which ${budget.left(subject)} remain: this write needs ${bytes} bytes; ${retryIn(retryAfter)}`
  throw new ApiError('RATE_LIMITED', message, { retryAfter })
}

export function bytesOfChanges(changes: Readonly<Record<string, { new: string | null }>>): number {
  let bytes = EVENT_BYTES
  for (const [name, { new: value }] of Object.entries(changes)) bytes += bytesOf(name) + bytesOf(value)
  return bytes
}

/** Returns the number of bytes stored for a list of items, including an event for the list and one for each item. */
export const bytesOfItems = (items: readonly unknown[]): number =>
  items.reduce<number>((bytes, item) => bytes + EVENT_BYTES + bytesOf(item), EVENT_BYTES)

/** Returns the maximum number of bytes that mutations with these arguments store. A variable counts for each use. */
export const bytesOfMutations = (fields: readonly Pick<RootField, 'name' | 'args'>[]): number =>
  fields.reduce((bytes, field) => bytes + countChanges(field) * EVENT_BYTES + bytesOf(field.args), 0)

/** Returns the number of UTF-8 bytes in the names and values of JSON. A number or boolean counts as 8 bytes. */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce<number>((bytes, item) => bytes + bytesOf(item), 0)
  if (typeof value === 'object' && value !== null) {
    let bytes = 0
    for (const [name, member] of Object.entries(value)) bytes += Buffer.byteLength(name) + bytesOf(member)
    return bytes
  }
  return typeof value === 'number' || typeof value === 'boolean' ? 8 : 0
}

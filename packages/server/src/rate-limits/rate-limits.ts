import { createFailedAuthentication, type FailedAuthentication } from '../auth/failed-authentication.ts'
import type { Config } from '../config.ts'
import { networkOf } from '../lib/client-address.ts'
import type { Metrics } from '../metrics.ts'
import { type ExchangeOptions, exchangeSpending } from './exchange.ts'
import { createKeyShares, type KeyShares, subjectOf } from './key-shares.ts'
import { createStorageQuotas, type StorageQuotas } from './storage-quotas.ts'
import { type Budget, createBudget } from './token-buckets.ts'

export interface RateLimits {
  /** The budgets of users. A user is an account with its access keys, or a person with console sessions (`payerOf`). */
  readonly users: Budget
  readonly keys: KeyShares
  readonly addresses: Budget
  /**
   * The budgets of registration codes. The server charges the code, not the address, because many devices can share an
   * address.
   */
  readonly codes: Budget
  /** The budgets of devices. Each message costs one point. */
  readonly devices: Budget
  readonly storage: StorageQuotas
  readonly failures: FailedAuthentication
  close(): Promise<void>
}

export interface RateLimitsOptions {
  config: Pick<
    Config,
    | 'keyPoints'
    | 'keyPointsPerSecond'
    | 'addressPoints'
    | 'addressPointsPerSecond'
    | 'deviceMessages'
    | 'deviceMessagesPerSecond'
    | 'deviceBytesPerDay'
    | 'accountBytesPerDay'
  >
  /** Exchanges spending with other processes. If omitted, budgets count only this process's spending. */
  exchange?: ExchangeOptions
  metrics?: Metrics | undefined
  now?: () => number
}

export function createRateLimits({ config, exchange: others, metrics, now }: RateLimitsOptions): RateLimits {
  const local = { now, onRejection: metrics?.counter('rateLimited') }
  const shared = { ...local, isReported: others !== undefined }
  const forUsers = { capacity: config.keyPoints, perSecond: config.keyPointsPerSecond }
  const users = createBudget({ name: 'user', ...forUsers }, shared)
  const keys = createKeyShares(users, shared)
  const codes = createBudget({ name: 'code', ...forUsers }, shared)
  const forAddresses = { capacity: config.addressPoints, perSecond: config.addressPointsPerSecond }
  const addresses = createBudget({ name: 'address', ...forAddresses }, shared)
  const forDevices = { capacity: config.deviceMessages, perSecond: config.deviceMessagesPerSecond }
  // The spending of devices is not reported to other processes. A device has an MQTT connection to only one process at
  // a time, and reports about all devices could be too large.
  const devices = createBudget({ name: 'device', ...forDevices }, local)
  const { deviceBytesPerDay, accountBytesPerDay } = config
  const storage = createStorageQuotas({ deviceBytesPerDay, accountBytesPerDay, local, shared })
  const exchange = others && exchangeSpending([users, keys.reported, addresses, codes, storage.accounts], others)
  const failures = createFailedAuthentication(now, (network) =>
    addresses.left(network) >= 1 ? 0 : Math.max(1, addresses.due(network)),
  )
  return { users, keys, addresses, codes, devices, storage, failures, close: async () => exchange?.close() }
}

export interface Payer {
  readonly budget: Budget
  readonly subject: string
}

export const payerOfAddress = ({ addresses }: RateLimits, address: string): Payer => ({
  budget: addresses,
  subject: networkOf(address),
})

export const payerOfDevice = ({ devices }: RateLimits, deviceId: string): Payer => ({
  budget: devices,
  subject: deviceId,
})

export const payerOfCode = ({ codes }: RateLimits, codeId: string): Payer => ({ budget: codes, subject: codeId })

interface Caller {
  accountId: string
  personId?: string | undefined
  session?: string | undefined
  accessKey?: string | undefined
  /** The percentage of the quota that the access key may spend. */
  rateShare?: number | undefined
}

/**
 * Returns the quota that a caller's requests are charged to. Requests with any key of an account are charged to the
 * account, so more keys do not increase the quota. If the key has a share of the quota, its requests are also charged
 * to the share. Requests of a session are charged to the person who signed in, regardless of the account. The founder
 * has the ID of the account and therefore shares the account's quota.
 */
export const payerOf = ({ users, keys }: RateLimits, caller: Caller): Payer => {
  const { accountId, personId = accountId, session, accessKey, rateShare = 100 } = caller
  if (accessKey !== undefined && rateShare < 100)
    return { budget: keys.budgetOf(rateShare), subject: subjectOf(accountId, accessKey) }
  return { budget: users, subject: session === undefined ? accountId : personId }
}

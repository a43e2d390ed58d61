import { createFailedSignatures, type FailedSignatures } from '../auth/failed-signatures.ts'
import type { Config } from '../config.ts'
import { networkOf } from '../lib/client-address.ts'
import type { Metrics } from '../metrics.ts'
import type { Viewer } from '../viewer.ts'
import { type Budget, createBudget } from './budget.ts'
import { type ExchangeOptions, exchangeSpending } from './exchange.ts'
import { createStorageQuotas, type StorageQuotas } from './storage-quotas.ts'

/** Every budget of the server. */
export interface RateLimits {
  /** Of users: each pays for all of its access keys and console sessions together. */
  readonly users: Budget
  readonly addresses: Budget
  /** Of registration codes: devices behind one address share it with whoever else is there. */
  readonly codes: Budget
  /** A point is a message. */
  readonly devices: Budget
  readonly storage: StorageQuotas
  /** Credentials that did not hold, whichever way they came in. */
  readonly failures: FailedSignatures
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
  /** Left away: this process counts by itself. */
  exchange?: ExchangeOptions
  metrics?: Metrics | undefined
  now?: () => number
}

export function createRateLimits({ config, exchange: others, metrics, now }: RateLimitsOptions): RateLimits {
  const alone = { now, onRefusal: metrics?.counter('rateLimited') }
  const shared = { ...alone, isReported: others !== undefined }
  const forUsers = { most: config.keyPoints, perSecond: config.keyPointsPerSecond }
  const users = createBudget({ name: 'user', ...forUsers }, shared)
  const codes = createBudget({ name: 'code', ...forUsers }, shared)
  const forAddresses = { most: config.addressPoints, perSecond: config.addressPointsPerSecond }
  const addresses = createBudget({ name: 'address', ...forAddresses }, shared)
  const forDevices = { most: config.deviceMessages, perSecond: config.deviceMessagesPerSecond }
  // A device is connected to one process at a time; ten thousand of them are too many to tell of.
  const devices = createBudget({ name: 'device', ...forDevices }, alone)
  const { deviceBytesPerDay, accountBytesPerDay } = config
  const storage = createStorageQuotas({ deviceBytesPerDay, accountBytesPerDay, alone, shared })
  const exchange = others && exchangeSpending([users, addresses, codes, storage.accounts], others)
  const failures = createFailedSignatures(now, (network) =>
    addresses.left(network) >= 1 ? 0 : Math.max(1, addresses.due(network)),
  )
  return { users, addresses, codes, devices, storage, failures, close: async () => exchange?.close() }
}

/** Who pays, and out of which budget. */
export interface Payer {
  readonly budget: Budget
  readonly subject: string
}

/** Where nobody pays for a request, its address does. */
export const payerAt = ({ addresses }: RateLimits, address: string): Payer => ({
  budget: addresses,
  subject: networkOf(address),
})

export const payerOfDevice = ({ devices }: RateLimits, deviceId: string): Payer => ({
  budget: devices,
  subject: deviceId,
})

export const payerOfCode = ({ codes }: RateLimits, codeId: string): Payer => ({ budget: codes, subject: codeId })

/** A user pays for every access key and console session, so that more keys are not more quota. */
export const payerOf = ({ users }: RateLimits, { accountId }: Pick<Viewer, 'accountId'>): Payer => ({
  budget: users,
  subject: accountId,
})

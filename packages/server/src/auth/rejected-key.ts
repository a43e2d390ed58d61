import { ApiError } from '../errors.ts'
import { keyReasons, userDisabled } from './authentication-reasons.ts'
import type { KeyGrant } from './key-grant.ts'

/**
 * Returns why a key cannot be used, or undefined if the key is valid. The reason reveals details of the key, so call
 * this function only after the client has proved that it has the key. If the address is undefined, the key's networks
 * are not checked. If a single sign-on group made a person a member, the person's personal keys become invalid after
 * `staleMs` milliseconds without single sign-on. If `staleMs` is 0, they never become invalid for this reason.
 */
export function rejectionOfKey(
  grant: KeyGrant | undefined,
  { now, address, staleMs }: { now: Date; address: string | undefined; staleMs: number },
): ApiError | undefined {
  if (grant === undefined) return rejected('key-deleted')
  if (grant.isUserDisabled) return userDisabled()
  if (!grant.enabled) return rejected('key-disabled')
  if (grant.expires !== null && grant.expires <= now) return rejected('key-expired')
  if (grant.suspended !== undefined) return rejected(`key-${grant.suspended}`)
  if (isSignInStale(grant.lastSignIn, { now, staleMs })) return rejected('key-stale')
  if (grant.suspendedFrom !== undefined && grant.suspendedFrom <= now) return rejected('key-policy')
  if (address === undefined || grant.isAllowedFrom === undefined || grant.isAllowedFrom(address)) return undefined
  const message = `The signature is valid, but the access key cannot be used from ${address}. Send the request from one of the key's networks.`
  return new ApiError('UNAUTHENTICATED', message, { reason: 'key-network' })
}

export const rejected = (reason: keyof typeof keyReasons): ApiError =>
  new ApiError('UNAUTHENTICATED', keyReasons[reason], { reason })

export const isSignInStale = (lastSignIn: Date | null, { now, staleMs }: { now: Date; staleMs: number }): boolean =>
  lastSignIn !== null && staleMs > 0 && lastSignIn.getTime() + staleMs <= now.getTime()

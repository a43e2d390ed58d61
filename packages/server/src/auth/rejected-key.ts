import { ApiError } from '../errors.ts'
import type { KnownKey } from './key-cache.ts'
import { keyReasons, userDisabled } from './rejection-reasons.ts'

/** Returns why a key is invalid now, or undefined if it is valid. Only for callers who have proved that they have the key. */
export function rejectionOfKey(known: KnownKey | undefined, now: Date): ApiError | undefined {
  if (known === undefined) return rejected('key-deleted')
  if (known.isUserDisabled) return userDisabled()
  if (!known.enabled) return rejected('key-disabled')
  return known.expires !== null && known.expires <= now ? rejected('key-expired') : undefined
}

export const rejected = (reason: keyof typeof keyReasons): ApiError =>
  new ApiError('UNAUTHENTICATED', keyReasons[reason].meaning, { reason })

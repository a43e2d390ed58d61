import { ApiError } from '../errors.ts'
import type { KnownKey } from './key-cache.ts'
import { keyReasons, userDisabled } from './reasons.ts'

/** Why a key, as it is now, lets nobody in; undefined where it does. For those only who have shown that they hold it. */
export function refusalOfKey(known: KnownKey | undefined, now: Date): ApiError | undefined {
  if (known === undefined) return rejected('key-deleted')
  if (known.isUserDisabled) return userDisabled()
  if (!known.enabled) return rejected('key-disabled')
  return known.expires !== null && known.expires <= now ? rejected('key-expired') : undefined
}

export const rejected = (reason: keyof typeof keyReasons): ApiError =>
  new ApiError('UNAUTHENTICATED', keyReasons[reason].meaning, { reason })

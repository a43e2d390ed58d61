import type { FastifyRequest } from 'fastify'
import { boundedMap } from '../../lib/bounded-map.ts'
import { networkOf } from '../../lib/client-address.ts'

export interface KnownViewer {
  readonly accountId: string
  readonly accessKey?: string
}

/** Identifies the caller that a request in flight counts for: an account, or an address until the account is known. */
export interface Callers {
  /**
   * Identifies the caller before authentication. If a request names an access key that has authenticated before, the
   * request counts for the key's account. Accounts behind one address therefore do not affect each other. Requests with
   * invalid signatures cannot use up the account's share for long. Once an address has no authentication attempts left
   * for the key, its requests with that key count for the address again.
   */
  of(request: FastifyRequest): string
  identify(viewer: KnownViewer): string
}

/** The maximum number of access keys whose accounts are cached. */
const MAX_KEYS = 10_000

export interface CallersOptions {
  addressOf: (request: FastifyRequest) => string
  /**
   * Checks whether the address has no authentication attempts left for the key. Without a key, checks the attempts for
   * unknown keys.
   */
  isExhausted: (address: string, key?: string) => boolean
}

export function createCallers({ addressOf, isExhausted }: CallersOptions): Callers {
  const userOfKey = boundedMap<string, string>(MAX_KEYS)
  return {
    of(request) {
      const key = claimedKey(request)
      const user = key === undefined ? undefined : userOfKey.get(key)
      const address = addressOf(request)
      return user === undefined || isExhausted(address, key) ? `address ${networkOf(address)}` : user
    },
    identify({ accountId, accessKey }) {
      const known = accessKey === undefined ? undefined : userOfKey.get(accessKey)
      if (known !== undefined) return known
      const user = `user ${accountId}`
      if (accessKey !== undefined) userOfKey.set(accessKey, user)
      return user
    },
  }
}

/** Returns the ID of the access key that a signature in any accepted format names, or undefined without a key ID. */
function claimedKey({ headers }: FastifyRequest): string | undefined {
  const text = headers['signature-input'] ?? headers.signature ?? headers.authorization
  return typeof text === 'string' ? /\bkeyid="([^"]{1,128})"/i.exec(text)?.[1] : undefined
}

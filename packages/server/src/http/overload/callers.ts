import type { FastifyRequest } from 'fastify'
import { boundedMap } from '../../lib/bounded-map.ts'
import { networkOf } from '../../lib/client-address.ts'

/** The properties that identify a user. */
export interface KnownViewer {
  readonly accountId: string
  readonly accessKey?: string
}

/** Identifies the caller that a request in flight is counted for: a user, or an address until the user is known. */
export interface Callers {
  /**
   * The caller before authentication. A request that names an access key counts for the key's user if the key was authenticated
   * before, so that users behind one address do not affect each other. A false claim gains nothing, because failed
   * authentication counts against the address.
   */
  of(request: FastifyRequest): string
  /** The caller after authentication. */
  identify(viewer: KnownViewer): string
}

/** Maximum number of access keys whose users are cached. */
const MAX_KEYS = 10_000

export function createCallers(addressOf: (request: FastifyRequest) => string): Callers {
  const userOfKey = boundedMap<string, string>(MAX_KEYS)
  return {
    of(request) {
      const key = claimedKey(request)
      const user = key === undefined ? undefined : userOfKey.get(key)
      return user ?? `address ${networkOf(addressOf(request))}`
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

/** The access key that a signature names, in any of the accepted formats. */
function claimedKey({ headers }: FastifyRequest): string | undefined {
  const text = headers['signature-input'] ?? headers.signature ?? headers.authorization
  return typeof text === 'string' ? /\bkeyid="([^"]{1,100})"/i.exec(text)?.[1] : undefined
}

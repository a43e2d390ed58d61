import type { FastifyRequest } from 'fastify'
import { boundedMap } from '../../lib/bounded-map.ts'
import { networkOf } from '../../lib/client-address.ts'

/** What identifies a user. */
export interface KnownViewer {
  readonly accountId: string
  readonly accessKey?: string
}

/** Names of callers, by which in-flight work is counted: a user, or an address while the user is not known. */
export interface Callers {
  /**
   * Before authentication. A request that claims an access key whose signatures were valid before is compared with what that key's user
   * has in flight: users behind one address do not suffer from each other. A false claim gains nothing, because what is not authenticated
   * counts for its address.
   */
  of(request: FastifyRequest): string
  /** After authentication. */
  identify(viewer: KnownViewer): string
}

/** Access keys whose users are remembered. */
const KEYS = 10_000

export function createCallers(addressOf: (request: FastifyRequest) => string): Callers {
  const userOfKey = boundedMap<string, string>(KEYS)
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

/** The key that a signature names, in any of the accepted forms. */
function claimedKey({ headers }: FastifyRequest): string | undefined {
  const text = headers['signature-input'] ?? headers.signature ?? headers.authorization
  return typeof text === 'string' ? /\bkeyid="([^"]{1,100})"/i.exec(text)?.[1] : undefined
}

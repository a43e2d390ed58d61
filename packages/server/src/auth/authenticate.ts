import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import { ApiError } from '../errors.ts'
import { clientAddress } from '../lib/client-address.ts'
import { includes, streamPermissions } from '../permissions.ts'
import { isSameRestriction } from '../restriction.ts'
import type { Viewer } from '../viewer.ts'
import { createFailedAuthentication, type FailedAuthentication } from './failed-authentication.ts'
import { createKeyCache } from './key-cache.ts'
import { createKeyUse, type KeyUse } from './key-use-counter.ts'
import { createLastUsed } from './last-used.ts'
import { createNonces } from './nonces.ts'
import { rejectionOfKey } from './rejected-key.ts'
import type { Secrets } from './secrets.ts'
import { sessionStrategy } from './sessions/session-strategy.ts'
import { createSessions } from './sessions/sessions.ts'
import { sessionCookieOf } from './sessions/sign-in/sign-in-routes.ts'
import { signatureStrategy } from './signature.ts'
import type { Strategy } from './strategy.ts'

export type Authenticate = Strategy

export interface AuthenticationOptions {
  db: Database
  notifications: Pick<Notifications, 'subscribe'>
  secrets: Secrets
  config: Pick<Config, 'publicUrl' | 'tlsCert' | 'requireDigest' | 'trustedProxies' | 'oidcStale'>
  failed?: FailedAuthentication
  log: FastifyBaseLogger
  clock?: () => Date
  /** A monotonic clock in milliseconds, for counting failed authentication attempts. Ignored if `failed` is given. */
  elapsed?: () => number
}

export interface Authentication {
  authenticate: Authenticate
  /**
   * Returns an error if the server would reject an admitted viewer now. Also returns an error if the viewer's
   * restriction has changed, or if the viewer has lost a permission that streams need. Otherwise, returns undefined.
   * Normally detects changes within a second.
   */
  rejectionOf(viewer: Viewer): Promise<ApiError | undefined>
  countUse: KeyUse['count']
  /** Writes pending data and ends the subscription to key changes. Call `close` before closing the database pool. */
  close(): Promise<void>
}

export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { db, notifications, secrets, config, log, clock = () => new Date(), elapsed } = options
  const { failed = createFailedAuthentication(elapsed) } = options
  const keys = createKeyCache({ db, notifications, secrets, log })
  const lastUsed = createLastUsed(db, log)
  const keyUse = createKeyUse(db, clock, log)
  const nonces = createNonces(db, clock, log)
  const addressOf = clientAddress(config.trustedProxies)
  const signature = signatureStrategy({ keys, nonces, failed, lastUsed, config, clock, addressOf })
  const sessions = createSessions(db, clock)
  const { publicUrl } = config
  const session = sessionStrategy({ sessions, cookie: sessionCookieOf(secrets, config), publicUrl })
  return {
    // The order matters: if a request has a signature, the server ignores its session cookie.
    authenticate: firstViewer([signature, session]),
    rejectionOf: async (viewer) => {
      const { accessKey, address, permissions = 0 } = viewer
      if (accessKey === undefined) return sessions.rejectionOf(viewer)
      const known = await keys.find(accessKey)
      const rejection = rejectionOfKey(known, { now: clock(), address, staleMs: config.oidcStale })
      if (rejection !== undefined) return rejection
      const isSame = isSameRestriction(known!.restriction, viewer.restriction)
      return isSame && includes(known!.permissions, permissions & streamPermissions) ? undefined : keyChanged()
    },
    countUse: keyUse.count,
    async close() {
      await keyUse.close()
      await lastUsed.close()
      await nonces.close()
      keys.close()
    },
  }
}

const keyChanged = (): ApiError =>
  new ApiError('FORBIDDEN', "this key's access has changed, so the stream has ended: subscribe again", {
    reason: 'permission',
  })

function firstViewer(strategies: readonly Strategy[]): Authenticate {
  return async (request, body) => {
    for (const strategy of strategies) {
      const viewer = await strategy(request, body)
      if (viewer !== null) return viewer
    }
    return null
  }
}

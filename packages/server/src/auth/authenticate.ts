import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import type { ApiError } from '../errors.ts'
import { clientAddress } from '../lib/client-address.ts'
import type { Viewer } from '../viewer.ts'
import { createFailedSignatures, type FailedSignatures } from './failed-signatures.ts'
import { createKeyCache } from './key-cache.ts'
import { createLastUsed } from './last-used.ts'
import { createNonces } from './nonces.ts'
import { refusalOfKey } from './refused-key.ts'
import type { Secrets } from './secrets.ts'
import { sessionStrategy } from './sessions/session-strategy.ts'
import { createSessions } from './sessions/sessions.ts'
import { sessionCookieOf } from './sessions/sign-in-routes.ts'
import { signatureStrategy } from './signature.ts'
import type { Strategy } from './strategy.ts'

/**
 * From a request and its body as received to its viewer. `null`: it carries no credentials at all. Throws an ApiError
 * for credentials that do not hold.
 */
export type Authenticate = Strategy

export interface AuthenticationOptions {
  db: Database
  /** Of changed access keys. */
  notifications: Pick<Notifications, 'subscribe'>
  secrets: Secrets
  config: Pick<Config, 'publicUrl' | 'tlsCert' | 'requireDigest' | 'trustedProxies'>
  /** Where signatures that do not hold are counted, with whatever else is there. */
  failed?: FailedSignatures
  log: FastifyBaseLogger
  clock?: () => Date
  /** Milliseconds that never run backwards, by which failed signatures are counted. */
  elapsed?: () => number
}

export interface Authentication {
  authenticate: Authenticate
  /** Why a viewer who was let in would be refused now; undefined where not. Notices changes within a second. */
  refusalOf(viewer: Viewer): Promise<ApiError | undefined>
  /** Writes what is outstanding and lets go of the database. Call it before the pool ends. */
  close(): Promise<void>
}

/** Everything that tells who a request comes from, for every route of the server. */
export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { db, notifications, secrets, config, log, clock = () => new Date(), elapsed } = options
  const { failed = createFailedSignatures(elapsed) } = options
  const keys = createKeyCache({ db, notifications, secrets, log })
  const lastUsed = createLastUsed(db, log)
  const nonces = createNonces(db, clock, log)
  const addressOf = clientAddress(config.trustedProxies)
  const signature = signatureStrategy({ keys, nonces, failed, lastUsed, config, clock, addressOf })
  const sessions = createSessions(db, clock)
  const { publicUrl } = config
  const session = sessionStrategy({ sessions, cookie: sessionCookieOf(secrets, config), publicUrl })
  return {
    // A signature decides: a cookie beside it is not looked at.
    authenticate: askInTurn([signature, session]),
    refusalOf: async (viewer) => {
      const { accessKey } = viewer
      return accessKey === undefined ? sessions.refusalOf(viewer) : refusalOfKey(await keys.find(accessKey), clock())
    },
    async close() {
      await lastUsed.close()
      await nonces.close()
      keys.close()
    },
  }
}

function askInTurn(strategies: readonly Strategy[]): Authenticate {
  return async (request, body) => {
    for (const strategy of strategies) {
      const viewer = await strategy(request, body)
      if (viewer !== null) return viewer
    }
    return null
  }
}

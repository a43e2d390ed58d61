import { passkey } from '@better-auth/passkey'
import { APIError, betterAuth } from 'better-auth'
import { twoFactor } from 'better-auth/plugins'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../db/database.ts'
import { ADDRESS_HEADER } from './address-header.ts'
import { passwordChange } from './passwords/change-password.ts'
import { PASSWORD_LENGTH } from './passwords/password.ts'
import { COOKIE_PREFIX } from './session-cookie.ts'
import { SESSION_SECONDS } from './sessions.ts'
import { passwordSignIn } from './sign-in/verify-password.ts'

export interface BetterAuthOptions {
  db: Database
  secret: string
  /** The origin at which the browser reaches this server. Passkeys are bound to the origin's host. */
  origin: string
  isSecure: boolean
  log: FastifyBaseLogger
}

const times = { createdAt: 'created', updatedAt: 'updated' }

/** Configures better-auth for Muster's tables: better-auth's users are people, and its accounts are their passwords. */
export function createBetterAuth({ db, secret, origin, isSecure, log }: BetterAuthOptions) {
  return betterAuth({
    appName: 'Muster',
    baseURL: origin,
    basePath: '/auth',
    secret,
    trustedOrigins: [origin],
    database: { db, type: 'postgres', transaction: true },
    telemetry: { enabled: false },
    // The server itself limits attempts before it calls better-auth.
    rateLimit: { enabled: false },
    onAPIError: { throw: true },
    logger: {
      level: 'error',
      log: (_level, message) => log.error({ reason: message }, 'better-auth reported an error'),
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_LENGTH.min,
      maxPasswordLength: PASSWORD_LENGTH.max,
    },
    user: {
      modelName: 'person',
      fields: times,
      // Only password changes use this field.
      additionalFields: {
        passwordHash: { type: 'string', fieldName: 'password_hash', required: false, input: false, returned: false },
      },
    },
    account: {
      modelName: 'person_password',
      fields: {
        accountId: 'subject',
        providerId: 'provider',
        userId: 'person_id',
        password: 'password_hash',
        ...times,
      },
    },
    session: {
      modelName: 'session',
      fields: { userId: 'account_id', expiresAt: 'expires', ipAddress: 'address', userAgent: 'agent', ...times },
      // A session that replaces another keeps how the person signed in.
      additionalFields: { method: { type: 'string', required: false, input: false } },
      expiresIn: SESSION_SECONDS,
      // Do not let better-auth renew sessions, because `Sessions` renews them.
      disableSessionRefresh: true,
      freshAge: 86_400,
    },
    verification: { modelName: 'sign_in_step', fields: { expiresAt: 'expires', ...times } },
    plugins: [passwordSignIn(db), passwordChange(), twoFactor(totpOptions), passkey(passkeyOptions)],
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      useSecureCookies: isSecure,
      defaultCookieAttributes: { sameSite: 'strict' },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER], ipv6Subnet: 128 },
      database: { validateSchema: false },
    },
  })
}

const totpOptions = {
  issuer: 'Muster',
  schema: {
    user: { fields: { twoFactorEnabled: 'totp_enabled' } },
    twoFactor: {
      modelName: 'account_totp',
      fields: {
        userId: 'account_id',
        secret: 'encrypted_secret',
        backupCodes: 'encrypted_backup_codes',
        failedVerificationCount: 'failed',
        lockedUntil: 'locked_until',
      },
    },
  },
}

const passkeyOptions: NonNullable<Parameters<typeof passkey>[0]> = {
  rpName: 'Muster',
  authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  authentication: {
    // A passkey replaces both the password and the code, so possession of the device must not be enough to sign in.
    afterVerification: async ({ verification }) => {
      if (!verification.authenticationInfo.userVerified) {
        throw new APIError('UNAUTHORIZED', {
          code: 'AUTHENTICATION_FAILED',
          message: 'the device with the passkey must verify the user, for example with a PIN or a fingerprint',
        })
      }
    },
  },
  advanced: { webAuthnChallengeCookie: `${COOKIE_PREFIX}-passkey` },
  schema: {
    passkey: {
      modelName: 'passkey',
      fields: {
        userId: 'account_id',
        publicKey: 'public_key',
        credentialID: 'credential_id',
        deviceType: 'device_type',
        backedUp: 'backed_up',
        createdAt: 'created',
      },
    },
  },
}

import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import type { AddressOf } from '../../lib/client-address.ts'
import type { JsonFields } from '../../lib/json-fields.ts'
import { routesByName } from '../../lib/routes-by-name.ts'
import { sessionError } from '../authentication-reasons.ts'
import type { AuditEntry } from './audit/audit-entry.ts'
import type { CommandLineKeys } from './command-line/command-line-keys.ts'
import type { Forward } from './forward.ts'
import type { SessionCookie } from './session-cookie.ts'
import type { Session, Sessions } from './sessions.ts'
import type { SignInAttempts } from './sign-in/attempt-limits.ts'
import type { Invitations } from './sign-in/invitation-types.ts'
import type { Provider } from './single-sign-on/provider.ts'

export type SignInMethod =
  | 'password'
  | 'password and code'
  | 'password and backup code'
  | 'password in trusted browser'
  | 'passkey'
  | 'single sign-on'
  | 'sign-in link'

export interface SignIn {
  personId: string
  email: string
  address: string
  agent: string
  method: SignInMethod
}

export interface AuthDeps {
  db: Database
  config: Pick<Config, 'publicUrl' | 'signIn'>
  clock: () => Date
  addressOf: AddressOf
  sessions: Sessions
  cookie: SessionCookie
  attempts: SignInAttempts
  forward: Forward
  invitations: Invitations
  commandLineKeys: CommandLineKeys
  /** Undefined if single sign-on is not set up. */
  provider: Provider | undefined
  /** Called before the browser receives its session cookie. If this function throws, the user is not signed in. */
  onSignIn: (signIn: SignIn) => Promise<void>
  record: (transaction: Database, entry: AuditEntry) => Promise<void>
  /** Called after recorded entries are committed. */
  onRecorded: () => void
  /** Lets work continue after the response. The server waits for this work before it closes. */
  inBackground: (work: Promise<void>) => void
}

export interface AuthRequest extends AuthDeps {
  request: FastifyRequest
  fields: JsonFields
  session: Session | undefined
  cookies: string[]
}

export interface AuthCall {
  method: 'GET' | 'POST'
  path: string
  /** Whether `MUSTER_SIGN_IN=sso` disables the call. */
  usesPassword?: true
  /** The fields that the JSON body may have. */
  takes?: readonly string[]
  handle: (call: AuthRequest) => Promise<object>
}

export const defineCalls = routesByName<AuthCall>

export const signedIn =
  (handle: (call: AuthRequest, session: Session) => Promise<object>): AuthCall['handle'] =>
  async (call) => {
    if (call.session === undefined) throw sessionError('no-session')
    return handle(call, call.session)
  }

export const SSO_METHOD = 'single sign-on'

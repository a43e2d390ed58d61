import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import type { AddressOf } from '../../lib/client-address.ts'
import type { JsonFields } from '../../lib/json-fields.ts'
import { sessionRefusal } from '../reasons.ts'
import type { AuditEntry } from './audit/audit-entry.ts'
import type { Forward } from './forward.ts'
import type { SessionCookie } from './session-cookie.ts'
import type { Session, Sessions } from './sessions.ts'
import type { SignInTries } from './sign-in-tries.ts'

/** How somebody showed who it is. */
export type SignInMethod = 'password' | 'password and code' | 'password and backup code' | 'passkey'

export interface SignIn {
  accountId: string
  email: string
  address: string
  agent: string
  method: SignInMethod
}

/** What the calls under /auth work with. */
export interface AuthDeps {
  db: Database
  config: Pick<Config, 'publicUrl'>
  clock: () => Date
  addressOf: AddressOf
  sessions: Sessions
  cookie: SessionCookie
  tries: SignInTries
  /** Hands a call on to better-auth. */
  forward: Forward
  /** Told before the browser gets its cookie; when it throws, nobody is signed in. */
  onSignIn: (signIn: SignIn) => Promise<void>
  /** Writes an entry to the event log, in the given transaction. */
  record: (transaction: Database, entry: AuditEntry) => Promise<void>
  /** Called once recorded entries are committed. */
  onRecorded: () => void
  /** Lets work continue after the response. The server finishes it before it closes. */
  inBackground: (work: Promise<void>) => void
}

/** One call that a page of the console made. */
export interface AuthRequest extends AuthDeps {
  request: FastifyRequest
  fields: JsonFields
  /** Whoever is signed in already. */
  session: Session | undefined
  /** Set-Cookie headers that go out with the answer. */
  cookies: string[]
}

export interface AuthCall {
  method: 'GET' | 'POST'
  /** Below /auth. */
  path: string
  /** Members that the body may have. */
  takes?: readonly string[]
  /** What it answers is sent as JSON. */
  handle: (call: AuthRequest) => Promise<object>
}

/** A call for those who are signed in. */
export const signedIn =
  (handle: (call: AuthRequest, session: Session) => Promise<object>): AuthCall['handle'] =>
  async (call) => {
    if (call.session === undefined) throw sessionRefusal('no-session')
    return handle(call, call.session)
  }

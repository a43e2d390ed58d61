import { signRequest } from '@muster/http-signature'
import { hashPassword } from '../../src/auth/sessions/passwords/password.ts'
import { query } from '../../src/db/database.ts'
import { signIn } from '../clients/browser.ts'
import { basic } from '../clients/http-device.ts'
import type { TestApp, TestUser } from '../harness/app.ts'
import type { Signer } from './installation.ts'
import type { OwnedObjects } from './owned-objects.ts'
import { isSubscription } from './subscription-calls.ts'

export interface Caller {
  signer?: Signer
  headers?: Record<string, string>
}

export interface ApiResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of responses
  body: any
}

/** Sends a document. For a subscription, opens a stream and closes the stream as soon as the server accepts it. */
export async function sendDocument(
  { url: server }: Pick<TestApp, 'url'>,
  caller: Caller,
  document: string,
): Promise<ApiResponse> {
  const isStream = isSubscription(document)
  const url = `${server}/graphql/v1${isStream ? '/stream' : ''}`
  const body = JSON.stringify({ query: document })
  const headers = { 'content-type': 'application/json' }
  const created = Math.floor(Date.now() / 1_000)
  const signature = caller.signer && signRequest({ ...caller.signer, method: 'POST', url, headers, body, created })
  const accept = isStream ? 'text/event-stream' : 'application/graphql-response+json'
  const all = { ...headers, accept, ...signature, ...caller.headers }
  const response = await fetch(url, { method: 'POST', body, headers: all })
  if (!isStream || response.status !== 200) return { status: response.status, body: await response.json() }
  await response.body?.cancel()
  return { status: 200, body: {} }
}

export const withKey = (user: Pick<TestUser, 'keyId' | 'secret'>): Caller => ({
  signer: { keyId: user.keyId, key: { algorithm: 'hmac-sha256', secret: Buffer.from(user.secret, 'base64') } },
})

export async function newKey(user: TestUser, args = ''): Promise<Caller & { key: string }> {
  const { createAccessKey: created } = await user.data(`mutation { createAccessKey(name: "x"${args}) { key secret } }`)
  return { key: created.key, ...withKey({ keyId: created.key, secret: created.secret }) }
}

export async function withSession(app: TestApp, { accountId, email }: TestUser): Promise<Caller> {
  const password = 'a password of the user'
  const password_hash = await hashPassword(password)
  await app.db.updateTable('account').set({ password_hash }).where('id', '=', accountId).execute()
  const browser = await signIn(app, { id: accountId, email, password })
  return { headers: { cookie: browser.cookieHeader(), 'muster-session': '1', origin: app.url } }
}

/** Returns callers without valid credentials of this user, each with the reason code of the rejection. */
export async function rejectedCallers(
  app: TestApp,
  user: TestUser,
  { device, deviceSecret }: OwnedObjects,
): Promise<Record<string, Caller & { reason: string }>> {
  const [disabled, expired, deleted] = [await newKey(user), await newKey(user), await newKey(user)]
  await user.data(`mutation { updateAccessKey(key: "${disabled.key}", enabled: false) { key } }`)
  await user.data(`mutation { deleteAccessKey(key: "${deleted.key}") }`)
  await query(app.db, 'update access_key set expires = $1 where key = $2', [new Date(0), expired.key])
  const session = (await withSession(app, user)).headers!
  const { 'muster-session': _header, ...withoutHeader } = session
  return {
    'a disabled key': { ...disabled, reason: 'key-disabled' },
    'an expired key': { ...expired, reason: 'key-expired' },
    'a deleted key': { ...deleted, reason: 'bad-signature' },
    'a device with its secret': { headers: { authorization: basic(device, deviceSecret) }, reason: 'missing' },
    'a session from another origin': { headers: { ...session, origin: 'https://evil.example' }, reason: 'missing' },
    'a session from another site': { headers: { ...session, 'sec-fetch-site': 'cross-site' }, reason: 'missing' },
    "a session without the console's header": { headers: withoutHeader, reason: 'missing' },
    'a caller without credentials': { reason: 'missing' },
  }
}

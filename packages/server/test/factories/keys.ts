import { sendDocument } from '../access/callers.ts'
import { type TestApp, type TestUser, testUser } from '../harness/app.ts'
import type { TestMember } from './member.ts'

/**
 * Options for polling after a change to a key. The timeout, in milliseconds, is shorter than the time for which a
 * server caches a key without a notification. A poll therefore fails if the server receives no notification.
 */
export const NOTIFIED = { timeout: 20_000, interval: 50 }

// biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of responses
export type Json = any

export type Sender = (document: string) => Promise<{ data?: Json; errors?: Json[] }>

export const asMember =
  (app: Pick<TestApp, 'url'>, { headers }: TestMember): Sender =>
  async (document) =>
    (await sendDocument(app, { headers }, document)).body

export async function keyOf(
  app: Pick<TestApp, 'url'>,
  send: Sender,
  args: string,
): Promise<TestUser & { accessKey: Json }> {
  const { data, errors } = await send(`mutation { createAccessKey(${args}) {
    key secret accessKey { key kind permissions networks rateShare suspended createdBy { kind user { id } } } } }`)
  if (errors !== undefined) throw new Error(errors[0].message)
  const { key: keyId, secret, accessKey } = data.createAccessKey
  return { ...testUser(app.url, { accountId: '', email: '', keyId, secret }), accessKey }
}

export const sendAsUser =
  (user: TestUser): Sender =>
  async (document) =>
    user.query(document) as never

export const failure = ({ errors }: { errors?: Json[] | undefined }) => {
  const { code, reason, missing } = errors?.[0]?.extensions ?? {}
  return { code, ...(reason && { reason }), ...(missing && { missing }) }
}

export const readDevices = '{ login { devices { total } } }'
export const readWebhooks = '{ login { webhooks { id } } }'

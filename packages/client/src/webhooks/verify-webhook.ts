import { fromBase64 } from '../base64.ts'

/** Why a delivery was refused. */
export type WebhookReason =
  | 'missing-header'
  | 'malformed-header'
  | 'too-old'
  | 'too-new'
  | 'bad-signature'
  | 'malformed-body'

/** The request is no delivery of this webhook: answer 400 and do nothing of what it says. */
export class WebhookError extends Error {
  readonly reason: WebhookReason

  constructor(reason: WebhookReason, message: string) {
    super(message)
    this.name = 'WebhookError'
    this.reason = reason
  }
}

/** A delivery that was verified. */
export interface WebhookDelivered {
  /** The same on every attempt: by it a delivery is known that came before. */
  id: string
  /** `device.state`, `attribute.change`, … */
  type: string
  /** When it happened. */
  timestamp: string
  data: WebhookData
}

/** What made a change: its id and its name at the time, and the user behind it. */
export interface WebhookSource {
  kind: string
  id: string | null
  name: string | null
  user: { id: string; email: string } | null
}

/** What happened to what: the members that every event has, and those of its type. */
export interface WebhookData {
  /** Id of the event. */
  id?: string
  owner?: { id: string; email: string }
  actor?: { id: string; email: string } | null
  /** What made the change. `kind` is `accessKey`, `console`, `device`, `server`, or `unknown`. */
  source?: WebhookSource
  device?: { id: string; name: string } | null
  service?: { id: string; name: string } | null
  /** `active` or `inactive`, for events of state. */
  state?: string | null
  address?: string | null
  /** The old and new value of what changed. */
  changes?: Record<string, unknown>
  [member: string]: unknown
}

/** `Headers`, or Node's `request.headers`, names in lower case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyWebhookOptions {
  /** Seconds that the sender's clock may be off: 300. */
  tolerance?: number | undefined
}

/** Each is compared with each secret. */
const MOST_SIGNATURES = 20

/**
 * Checks a delivery by the Standard Webhooks specification and returns it. Throws WebhookError for what is none, TypeError for a secret
 * that is none. `body` is what was received, before it is parsed; `secret` may be several, during a rotation.
 *
 * ```ts
 * const { type, data } = await verifyWebhook(request.headers, await request.text(), secret)
 * ```
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string | readonly string[],
  { tolerance = 300 }: VerifyWebhookOptions = {},
): Promise<WebhookDelivered> {
  const keys = await Promise.all((typeof secret === 'string' ? [secret] : secret).map(importWebhookSecret))
  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  const signatures = readSignatures(header(headers, 'webhook-signature'))
  assertTime(timestamp, tolerance)
  const signed = signedBytes(`${id}.${timestamp}.`, body)
  if (!(await isSigned(signed, signatures, keys)))
    throw new WebhookError('bad-signature', 'no signature of the delivery fits the secret')
  return { id, ...parseBody(body) }
}

type Key = Awaited<ReturnType<typeof importWebhookSecret>>

async function importWebhookSecret(secret: string) {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('secret must be whsec_ and base64, as it was shown')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function header(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]
  if (typeof value !== 'string' || value === '') throw new WebhookError('missing-header', `there is no header ${name}`)
  return value
}

/** `v1,base64` by blanks; other versions are left alone. */
function readSignatures(text: string): Uint8Array<ArrayBuffer>[] {
  const signatures = text
    .split(' ')
    .flatMap((part) => (part.startsWith('v1,') ? (fromBase64(part.slice(3)) ?? []) : []))
  if (signatures.length > MOST_SIGNATURES)
    throw new WebhookError('malformed-header', `webhook-signature has more than ${MOST_SIGNATURES} signatures`)
  return signatures
}

function assertTime(timestamp: string, tolerance: number): void {
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookError('malformed-header', 'webhook-timestamp is not a whole number of seconds since 1970')
  const age = Math.floor(Date.now() / 1_000) - Number(timestamp)
  if (age > tolerance) throw new WebhookError('too-old', `the delivery was sent ${age} s ago`)
  if (-age > tolerance) throw new WebhookError('too-new', `the delivery was sent ${-age} s in the future`)
}

function signedBytes(start: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  const head = encoder.encode(start)
  const rest = typeof body === 'string' ? encoder.encode(body) : body
  const bytes = new Uint8Array(head.length + rest.length)
  bytes.set(head)
  bytes.set(rest, head.length)
  return bytes
}

/** All are compared, whichever fits, and `verify` takes constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: Uint8Array<ArrayBuffer>[],
  keys: Key[],
): Promise<boolean> {
  const fits = await Promise.all(
    keys.flatMap((key) => signatures.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed))),
  )
  return fits.includes(true)
}

function parseBody(body: string | Uint8Array): Omit<WebhookDelivered, 'id'> {
  try {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
    const { type, timestamp, data } = JSON.parse(text) as Partial<WebhookDelivered>
    if (typeof type === 'string' && typeof timestamp === 'string' && typeof data === 'object' && data !== null)
      return { type, timestamp, data }
  } catch {
    // Told below.
  }
  throw new WebhookError('malformed-body', 'the body of the delivery is not { type, timestamp, data }')
}

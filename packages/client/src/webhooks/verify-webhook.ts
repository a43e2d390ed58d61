import { fromBase64 } from '../base64.ts'

export type WebhookReason =
  | 'missing-header'
  | 'malformed-header'
  | 'too-old'
  | 'too-new'
  | 'bad-signature'
  | 'malformed-body'

/** The request is not a valid delivery of your webhook. Respond with HTTP 400 and ignore the request's content. */
export class WebhookError extends Error {
  readonly reason: WebhookReason

  constructor(reason: WebhookReason, message: string) {
    super(message)
    this.name = 'WebhookError'
    this.reason = reason
  }
}

export interface WebhookDelivered {
  /** All attempts of a delivery have the same ID. */
  id: string
  /** Event type, such as `device.state` or `attribute.change`. */
  type: string
  /** Time of the event (ISO 8601). */
  timestamp: string
  data: WebhookData
}

/** The source of a change. `name` is the source's name at the time of the change. */
export interface WebhookSource {
  kind: string
  id: string | null
  name: string | null
  user: { id: string; email: string } | null
}

/** An event's data: the common members, plus members that depend on the event type. */
export interface WebhookData {
  /** Event ID. */
  id?: string
  owner?: { id: string; email: string }
  actor?: { id: string; email: string } | null
  /** The change's source. `kind` is `accessKey`, `console`, `device`, `job`, `server`, or `unknown`. */
  source?: WebhookSource
  device?: { id: string; name: string } | null
  service?: { id: string; name: string } | null
  /**
   * New state, `active` or `inactive`, in events whose type ends in `.state`, and in events for devices that moved to
   * the webhook's account. The job's state, such as `DONE`, in `bulk.finish`. Null in other events.
   */
  state?: string | null
  address?: string | null
  changes?: Record<string, unknown>
  [member: string]: unknown
}

/** A `Headers` object, or the `request.headers` of Node.js with lowercase names. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyWebhookOptions {
  /** Maximum difference between the timestamp and the local clock, in seconds. Default: 300. */
  tolerance?: number | undefined
}

/** Maximum number of signatures in a delivery. The client compares each signature with each secret. */
const MAX_SIGNATURES = 20

/**
 * Verifies a delivery according to the Standard Webhooks specification and returns it. `body` is the received body
 * before parsing. During a rotation, pass several secrets. Throws WebhookError if the delivery is invalid, and
 * TypeError if a secret is invalid.
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
    throw new WebhookError('bad-signature', 'no signature in the delivery matches any of the given secrets')
  return { id, ...parseBody(body) }
}

type Key = Awaited<ReturnType<typeof importWebhookSecret>>

async function importWebhookSecret(secret: string) {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('secret must be "whsec_" followed by base64, as shown when the secret was created')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function header(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]
  if (typeof value !== 'string' || value === '')
    throw new WebhookError('missing-header', `the request must contain the header ${name} exactly once, with a value`)
  return value
}

/**
 * Returns the signatures of the `v1,base64` entries. Ignores other versions and invalid base64. Throws WebhookError if
 * there are more than `MAX_SIGNATURES`.
 */
function readSignatures(text: string): Uint8Array<ArrayBuffer>[] {
  const signatures = text
    .split(' ')
    .flatMap((part) => (part.startsWith('v1,') ? (fromBase64(part.slice(3)) ?? []) : []))
  if (signatures.length > MAX_SIGNATURES)
    throw new WebhookError('malformed-header', `webhook-signature contains more than ${MAX_SIGNATURES} signatures`)
  return signatures
}

function assertTime(timestamp: string, tolerance: number): void {
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookError(
      'malformed-header',
      'webhook-timestamp must be a whole number of seconds since 1970, such as 1764403200',
    )
  const age = Math.floor(Date.now() / 1_000) - Number(timestamp)
  if (age > tolerance)
    throw new WebhookError('too-old', `the delivery was sent ${age} s ago; the limit is ${tolerance} s`)
  if (-age > tolerance)
    throw new WebhookError('too-new', `the delivery is dated ${-age} s in the future; the limit is ${tolerance} s`)
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

/**
 * Compares every signature with every key, even after a match, and `verify` runs in constant time. The duration
 * therefore does not reveal which signature or key matches.
 */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: Uint8Array<ArrayBuffer>[],
  keys: Key[],
): Promise<boolean> {
  const matches = await Promise.all(
    keys.flatMap((key) => signatures.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed))),
  )
  return matches.includes(true)
}

function parseBody(body: string | Uint8Array): Omit<WebhookDelivered, 'id'> {
  try {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
    const { type, timestamp, data } = JSON.parse(text) as Partial<WebhookDelivered>
    if (typeof type === 'string' && typeof timestamp === 'string' && typeof data === 'object' && data !== null)
      return { type, timestamp, data }
  } catch {
    // Ignore the error, because the code below throws an error that describes the valid format.
  }
  throw new WebhookError(
    'malformed-body',
    'the body must be JSON of the form {"type": "…", "timestamp": "…", "data": {…}}',
  )
}

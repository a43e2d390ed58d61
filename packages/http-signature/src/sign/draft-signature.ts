import { serializeInnerList } from 'structured-headers'
import { formatHttpDate } from '../http-date.ts'
import { collectFields, type Fields, type Message, methodPattern, parseHost } from '../message.ts'
import { isKeyId, isTime, maxNonce, type SignatureForm } from '../parse/parsed-signature.ts'
import { type BaseInput, signatureBase } from '../signature-base.ts'
import type { Spelling } from '../verify/spellings.ts'

export type DraftOptions = {
  /** Form of the signature. Default: `rfc9421`. */
  form?: SignatureForm | undefined
  keyId: string
  /** Method in uppercase, as the client sends it. */
  method: string
  /** Full URL of the request. The client must send its path and query unchanged, and its host as the Host header. */
  url: string | URL
  /** Headers of the request. By default, the signature covers `content-type` if present. */
  headers?: Readonly<Record<string, string>> | undefined
  body?: Uint8Array | string | undefined
  /** Whether to add a digest of the body. The signature covers it unless `components` omits it. Default: true. */
  digest?: boolean | undefined
  /** Time of the signature in seconds since 1970. */
  created: number
  /** Time at which the signature expires, in seconds since 1970. */
  expires?: number | undefined
  /**
   * A string that the client has never used with this key, so that the server accepts the request only once. Only for
   * form `rfc9421`.
   */
  nonce?: string | undefined
  /**
   * The components to cover instead of the default. Each covered header must be in `headers`, unless signing adds it
   * (`date`, `digest`, `content-digest`) or it is `host`.
   */
  components?: readonly string[] | undefined
  /** Label of the signature, only for form `rfc9421`. Default: `sig1`. */
  label?: string | undefined
  /** Whether the signature names the algorithm. Default: true. */
  nameAlgorithm?: boolean | undefined
}

export type SigningInput = {
  algorithm: 'hmac-sha256' | 'ed25519'
  /** SHA-256 of the body in base64, if a digest is added to the request. */
  bodyHash: string | undefined
}

export type SignatureDraft = {
  /** The signature base, which the key signs. It contains only Latin-1 characters. */
  base: string
  /** Returns the headers to add, given the signature of the base in base64. */
  finish(signature: string): Record<string, string>
}

export const wantsDigest = ({ body, digest }: Pick<DraftOptions, 'body' | 'digest'>): boolean =>
  body !== undefined && digest !== false

/** Drafts a signature. Throws TypeError if the request cannot be signed. */
export function draftSignature(options: DraftOptions, input: SigningInput): SignatureDraft {
  assertSignable(options)
  try {
    return options.form === 'cavage' ? draftCavage(options, input) : draftRfc9421(options, input)
  } catch (error) {
    throw error instanceof TypeError ? error : new TypeError((error as Error).message, { cause: error })
  }
}

type PreparedRequest = { added: Record<string, string>; message: Message; spelling: Spelling }

function assertSignable(options: DraftOptions): void {
  const { keyId, method, created, expires, form, nonce, label } = options
  assert(isKeyId(keyId), 'keyId must consist of 1 to 128 ASCII letters, digits, dots, hyphens, and underscores')
  assert(methodPattern.test(method), 'method must be an uppercase token, such as POST')
  assert(isTime(created), 'created must be a ten-digit number of seconds since 1970, such as 1700000000')
  assert(
    expires === undefined || isTime(expires),
    'expires must be a ten-digit number of seconds since 1970, such as 1700000000',
  )
  assert(nonce === undefined || form !== 'cavage', 'a nonce requires the form rfc9421')
  assert(nonce === undefined || nonce.length <= maxNonce, `nonce must have at most ${maxNonce} characters`)
  assert(
    label === undefined || /^[a-z*][a-z0-9_.*-]*$/.test(label),
    'label must be a name such as sig1: a lowercase letter or *, followed by lowercase letters, digits, _, -, ., and *',
  )
}

function assert(condition: boolean, message: string): void {
  if (!condition) throw new TypeError(message)
}

/** Drafts a signature in form B (RFC 9421 §3.1). */
function draftRfc9421(options: DraftOptions, { algorithm, bodyHash }: SigningInput): SignatureDraft {
  const { added, message, spelling } = prepare(options, {
    ...(bodyHash === undefined ? {} : { 'Content-Digest': `sha-256=:${bodyHash}:` }),
  })
  const components = options.components ?? [
    '@method',
    '@authority',
    '@path',
    ...(message.target.includes('?') ? ['@query'] : []),
    ...(message.fields.has('content-type') ? ['content-type'] : []),
    ...(bodyHash === undefined ? [] : ['content-digest']),
  ]
  const covered = components.map((name): [string, Map<string, string>] => [name, new Map()])
  const parameters = serializeInnerList([covered, rfc9421Parameters(options, algorithm)])
  const label = options.label ?? 'sig1'
  return {
    base: signatureBase(baseInput(options, message, components, parameters), spelling),
    finish: (signature) => ({
      ...added,
      'Signature-Input': `${label}=${parameters}`,
      Signature: `${label}=:${signature}:`,
    }),
  }
}

function rfc9421Parameters(options: DraftOptions, algorithm: string): Map<string, string | number> {
  const parameters = new Map<string, string | number>([
    ['created', options.created],
    ['keyid', options.keyId],
  ])
  if (options.nameAlgorithm !== false) parameters.set('alg', algorithm)
  if (options.expires !== undefined) parameters.set('expires', options.expires)
  if (options.nonce !== undefined) parameters.set('nonce', options.nonce)
  return parameters
}

/** Drafts a signature in form A (cavage-12 §3.1). */
function draftCavage(options: DraftOptions, { algorithm, bodyHash }: SigningInput): SignatureDraft {
  const hasDate = Object.keys(options.headers ?? {}).some((name) => name.toLowerCase() === 'date')
  const { added, message, spelling } = prepare(options, {
    ...(hasDate ? {} : { Date: formatHttpDate(options.created) }),
    ...(bodyHash === undefined ? {} : { Digest: `SHA-256=${bodyHash}` }),
  })
  const components = options.components ?? [
    '(request-target)',
    'host',
    'date',
    ...(options.expires === undefined ? [] : ['(expires)']),
    ...(message.fields.has('content-type') ? ['content-type'] : []),
    ...(bodyHash === undefined ? [] : ['digest']),
  ]
  const times = components.filter((name) => name === '(created)' || name === '(expires)')
  const parameters = [
    `keyId="${options.keyId}"`,
    ...(options.nameAlgorithm === false ? [] : [`algorithm="${cavageAlgorithm(algorithm, times.length > 0)}"`]),
    ...times.map((name) => `${name.slice(1, -1)}=${name === '(created)' ? options.created : options.expires}`),
    `headers="${components.join(' ')}"`,
  ].join(',')
  return {
    base: signatureBase(baseInput(options, message, components), spelling),
    finish: (signature) => ({ ...added, Authorization: `Signature ${parameters},signature="${signature}"` }),
  }
}

/**
 * Returns `hs2019` for Ed25519, which has no older name in the draft. Also returns `hs2019` for a signature that covers
 * `(created)` or `(expires)`, which older names do not allow (cavage-12 §2.3).
 */
const cavageAlgorithm = (algorithm: string, coversTimes: boolean): string =>
  algorithm === 'ed25519' || coversTimes ? 'hs2019' : algorithm

function prepare(options: DraftOptions, added: Record<string, string>): PreparedRequest {
  const url = new URL(options.url)
  const given = Object.entries({ ...options.headers, ...added }).flat()
  const fields: Fields = collectFields(given)
  const host = parseHost(url.host)
  if (host === undefined) {
    const found = JSON.stringify(url.host)
    throw new TypeError(`the host in url must be a host name or an IP address, with an optional port, not ${found}`)
  }
  const scheme = url.protocol.slice(0, -1)
  return {
    added,
    message: { method: options.method, target: url.pathname + url.search, fields, host },
    spelling: { scheme, host: url.host, authority: url.host, origin: `${scheme}://${url.host}` },
  }
}

function baseInput(
  { form = 'rfc9421', created, expires }: DraftOptions,
  message: Message,
  components: readonly string[],
  parameters?: string,
): BaseInput {
  if (components.includes('(expires)') && expires === undefined)
    throw new TypeError('expires is required, because the signature covers (expires)')
  return { form, components, created, expires, parameters, message }
}

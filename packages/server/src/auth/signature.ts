import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import {
  type ParsedSignature,
  parseSignature,
  type SignatureReason,
  signatureReasons,
  type VerifyOptions,
  verifySignature,
} from '@muster/http-signature'
import type { Config } from '../config.ts'
import type { Viewer } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { AddressOf } from '../http/client-address.ts'
import type { FailedSignatures } from './failed-signatures.ts'
import type { KeyCache, KnownKey } from './key-cache.ts'
import type { LastUsed } from './last-used.ts'
import type { Nonces } from './nonces.ts'
import { refusalOfKey, rejected } from './refused-key.ts'
import type { Strategy } from './strategy.ts'

export interface SignatureOptions {
  keys: KeyCache
  nonces: Nonces
  failed: FailedSignatures
  lastUsed: LastUsed
  config: Pick<Config, 'publicUrl' | 'requireDigest'>
  clock: () => Date
  addressOf: AddressOf
}

/**
 * Wrong signatures are answered this long after they came, so that whether the key was unknown, in memory or had to be
 * looked up does not show in the time.
 */
const REFUSED_AFTER_MS = 25

/** Requests signed with an access key, in either form (packages/http-signature). */
export function signatureStrategy(options: SignatureOptions): Strategy {
  return async (request, body) => {
    const { method, raw } = request
    const parsed = parseSignature({ method, target: raw.url ?? '', rawHeaders: raw.rawHeaders })
    if (parsed.outcome === 'none') return null
    if (parsed.outcome === 'failed') {
      throw refusal({ ...parsed, keyIds: [parsed.keyId] }, options.addressOf(raw), options.failed)
    }

    const refusedAt = performance.now() + REFUSED_AFTER_MS
    const outcome = await verifyAny(parsed.signatures, circumstances(raw.socket, body, options), options)
    if (!('reason' in outcome)) return await admit(outcome, options)
    await waitUntil(refusedAt)
    throw refusal(outcome, options.addressOf(raw), options.failed)
  }
}

/**
 * Until the first tick of the timers, which are a millisecond apart, that is not before this moment. A timer for what is left, rounded
 * up, goes off with that tick or with one before it, and is then set again: so when it was set does not show by its rounding.
 */
async function waitUntil(moment: number): Promise<void> {
  for (let left = moment - performance.now(); left > 0; left = moment - performance.now()) await sleep(Math.ceil(left))
}

type Circumstances = Omit<VerifyOptions, 'key'>

function circumstances(socket: Socket, body: Buffer | undefined, { config, clock }: SignatureOptions): Circumstances {
  return {
    scheme: socket instanceof TLSSocket ? 'https' : 'http',
    localPort: socket.localPort,
    publicUrl: config.publicUrl,
    requireDigest: config.requireDigest,
    body,
    now: clock().getTime() / 1_000,
  }
}

interface Verified {
  known: KnownKey
  created: number
  nonce: string | undefined
}

interface Failure {
  reason: SignatureReason
  message: string
  /** Each key that was tried, once. */
  keyIds: Iterable<string | undefined>
}

/**
 * RFC 9421 §3.2: of several signatures one that verifies is enough. If none does, the first one's failure is told; what is tried behind
 * it is a try all the same.
 */
async function verifyAny(
  signatures: readonly [ParsedSignature, ...ParsedSignature[]],
  received: Circumstances,
  { keys }: SignatureOptions,
): Promise<Verified | Failure> {
  let failure: Omit<Failure, 'keyIds'> | undefined
  const keyIds = new Set<string>()
  for (const signature of signatures) {
    const found = keys.find(signature.keyId)
    const known = found instanceof Promise ? await found : found
    const requireDigest = received.requireDigest || known?.requireDigest === true
    const outcome = verifySignature(signature, { ...received, requireDigest, key: known?.verification })
    if (outcome.ok && known !== undefined) return { known, created: outcome.created, nonce: outcome.nonce }
    if (!outcome.ok) failure ??= outcome
    keyIds.add(signature.keyId)
  }
  const { reason, message } = failure ?? { reason: 'bad-signature', message: signatureReasons['bad-signature'].meaning }
  return { reason, message, keyIds }
}

/** The answer to a signature that does not hold; counted, and too many of them are answered otherwise. */
function refusal({ reason, message, keyIds }: Failure, address: string, failed: FailedSignatures): ApiError {
  if (signatureReasons[reason].status === 400) return new ApiError('BAD_USER_INPUT', message, { reason })
  const retryAfter = failed.count(address, ...keyIds)
  if (retryAfter === undefined) return new ApiError('UNAUTHENTICATED', message, { reason })
  return new ApiError('RATE_LIMITED', `too many failed signatures: come back in ${retryAfter} seconds`, { retryAfter })
}

/** The signature is good; whoever gets here holds the key, and is told plainly when it no longer serves. */
async function admit({ known, created, nonce }: Verified, options: SignatureOptions): Promise<Viewer> {
  const { key, accountId, email, readOnly } = known
  const now = options.clock()
  const refusal = refusalOfKey(known, now)
  if (refusal !== undefined) throw refusal
  if (nonce !== undefined && !(await options.nonces.use({ key, nonce, created }))) throw rejected('nonce-used')
  options.lastUsed.note({ accountId, key, at: now })
  return { accountId, email, accessKey: key, readOnly }
}

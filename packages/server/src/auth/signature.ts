import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import { parseSignature, type SignatureReason, signatureReasons, verifySignature } from '@muster/http-signature'
import type { Config } from '../config.ts'
import { ApiError, retryIn } from '../errors.ts'
import type { AddressOf } from '../lib/client-address.ts'
import type { Viewer } from '../viewer.ts'
import type { FailedAuthentication } from './failed-authentication.ts'
import type { KeyCache, KnownKey } from './key-cache.ts'
import type { LastUsed } from './last-used.ts'
import type { Nonces } from './nonces.ts'
import { rejected, rejectionOfKey } from './rejected-key.ts'
import type { Strategy } from './strategy.ts'

export interface SignatureOptions {
  keys: KeyCache
  nonces: Nonces
  failed: FailedAuthentication
  lastUsed: LastUsed
  config: Pick<Config, 'publicUrl' | 'requireDigest' | 'oidcStale'>
  clock: () => Date
  addressOf: AddressOf
}

/**
 * The minimum time, in milliseconds, between the start of the key lookup and the response to a request with a wrong
 * signature. This delay hides whether the key was unknown, in memory, or read from the database.
 */
const REJECTED_AFTER_MS = 25

/**
 * The maximum number of responses that wait at the same time. The server sends further responses immediately. A network
 * has 20 attempts a minute, so only a caller with dozens of networks can exceed this number.
 */
const MAX_WAITING = 1_000

export function signatureStrategy(options: SignatureOptions): Strategy {
  const { keys, nonces, failed, lastUsed, addressOf, config, clock } = options
  const waitUntil = boundedWait()

  /** Runs before the key lookup, so that a blocked address costs little work, and again after a database lookup. */
  const assertAttemptsLeft = (address: string, keyId: string | undefined): void => {
    const retryAfter = failed.wait(address, keyId)
    if (retryAfter !== undefined) throw tooManyFailures(retryAfter)
  }

  return async (request, body) => {
    const { method, raw } = request
    const parsed = parseSignature({ method, target: raw.url ?? '', rawHeaders: raw.rawHeaders })
    if (parsed.outcome === 'none') return null
    const address = addressOf(raw)
    if (parsed.outcome === 'failed') {
      assertAttemptsLeft(address, parsed.keyId)
      throw signatureError(parsed, address, failed)
    }

    const { signature } = parsed
    const { keyId } = signature
    assertAttemptsLeft(address, keyId)
    const rejectedAt = performance.now() + REJECTED_AFTER_MS
    const found = keys.find(keyId)
    const known = found instanceof Promise ? await found : found
    // Other requests from the address may have failed during the key lookup.
    if (found instanceof Promise) assertAttemptsLeft(address, keyId)
    const now = clock()
    const outcome = verifySignature(signature, {
      scheme: raw.socket instanceof TLSSocket ? 'https' : 'http',
      localPort: raw.socket.localPort,
      publicUrl: config.publicUrl,
      body,
      now: now.getTime() / 1_000,
      requireDigest: config.requireDigest || (known !== undefined && needsDigest(known, now)),
      key: known?.verification,
    })
    if (outcome.ok && known !== undefined) {
      failed.verified(address, keyId)
      // The caller has proved that it has the key, so the error may report why the key is no longer valid.
      const rejection = rejectionOfKey(known, { now, address, staleMs: config.oidcStale })
      if (rejection !== undefined) throw rejection
      const { nonce, created } = outcome
      if (nonce !== undefined && !(await nonces.use({ key: keyId, nonce, created }))) throw rejected('nonce-used')
      lastUsed.note({ accountId: known.accountId, key: keyId, at: now, isRestricted: known.isRestricted })
      return viewerOf(known, address)
    }
    const { reason, message } = outcome.ok ? wrongSignature : outcome
    const error = signatureError({ reason, message, keyId }, address, failed)
    await waitUntil(rejectedAt)
    throw error
  }
}

const needsDigest = ({ requireDigest, digestFrom }: KnownKey, now: Date): boolean =>
  requireDigest || (digestFrom !== undefined && digestFrom <= now)

function boundedWait(): (moment: number) => Promise<void> {
  let waiting = 0
  return async (moment) => {
    if (waiting >= MAX_WAITING) return
    waiting++
    try {
      await waitUntil(moment)
    } finally {
      waiting--
    }
  }
}

/**
 * Waits until the first timer tick at or after `moment`, which is a value of `performance.now()`. Ticks are one
 * millisecond apart. The timer runs for the remaining time, rounded up, and is set again if it fires one tick early.
 * The rounding therefore does not reveal when the timer was set.
 */
async function waitUntil(moment: number): Promise<void> {
  for (let left = moment - performance.now(); left > 0; left = moment - performance.now()) await sleep(Math.ceil(left))
}

interface Failure {
  reason: SignatureReason
  message: string
  /** Undefined if no key ID could be parsed. */
  keyId: string | undefined
}

const wrongSignature = {
  reason: 'bad-signature',
  message: signatureReasons['bad-signature'].meaning,
} as const satisfies Omit<Failure, 'keyId'>

/** Counts a failure, unless its status is 400. Returns its error, or RATE_LIMITED after too many failures. */
function signatureError({ reason, message, keyId }: Failure, address: string, failed: FailedAuthentication): ApiError {
  if (signatureReasons[reason].status === 400) return new ApiError('BAD_USER_INPUT', message, { reason })
  const retryAfter = failed.count(address, keyId)
  return retryAfter === undefined ? new ApiError('UNAUTHENTICATED', message, { reason }) : tooManyFailures(retryAfter)
}

const tooManyFailures = (retryAfter: number): ApiError =>
  new ApiError('RATE_LIMITED', `too many failed attempts to authenticate: ${retryIn(retryAfter)}`, { retryAfter })

function viewerOf(known: KnownKey, address: string): Viewer {
  const { key, name, accountId, email, founderEmail, personId, permissions, restriction, readOnly, rateShare } = known
  return {
    accountId,
    email,
    founderEmail,
    personId,
    accessKey: key,
    accessKeyName: name,
    permissions,
    restriction,
    readOnly,
    rateShare,
    address,
  }
}

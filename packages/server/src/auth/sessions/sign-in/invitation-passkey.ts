import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { badInput } from '../../../errors.ts'
import type { AuthRequest } from '../auth-call.ts'
import type { NewPasskey } from '../passkeys.queries.ts'
import { originOf } from '../same-origin.ts'
import { hashToken } from '../tokens.ts'
import { loadWebAuthn } from '../webauthn.ts'
import { insertChallenge, takeChallenge } from './sign-in.queries.ts'

const CHALLENGE_SECONDS = 300

/** Returns the options with which the browser of an invited person creates a passkey. Stores the challenge. */
export async function passkeyOptions(
  { db, clock, request, config }: AuthRequest,
  { token, email, name }: { token: string; email: string; name: string | null },
): Promise<object> {
  const { generateRegistrationOptions } = await loadWebAuthn()
  const options = await generateRegistrationOptions({
    rpName: 'Muster',
    rpID: hostOf(originOf(request, config.publicUrl)),
    userName: email,
    userDisplayName: name ?? email,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  const expires = new Date(clock().getTime() + CHALLENGE_SECONDS * 1_000)
  await insertChallenge(db, { ...challengeOf(options.challenge, token), expires })
  return options
}

/** Throws BAD_USER_INPUT if verification fails. A challenge works once, for 5 minutes, and only for its invitation. */
export async function verifyPasskey(
  { db, clock, request, config }: AuthRequest,
  { token, response }: { token: string; response: Record<string, unknown> },
): Promise<NewPasskey> {
  const origin = originOf(request, config.publicUrl)
  const { verifyRegistrationResponse } = await loadWebAuthn()
  let challenge = ''
  const { registrationInfo } = await verifyRegistrationResponse({
    response: response as unknown as RegistrationResponseJSON,
    expectedChallenge(given) {
      challenge = given
      return true
    },
    expectedOrigin: origin,
    expectedRPID: hostOf(origin),
    requireUserVerification: true,
  }).catch(() => ({ registrationInfo: undefined }))
  const isCreatedHere =
    registrationInfo !== undefined && (await takeChallenge(db, challengeOf(challenge, token), clock()))
  if (!isCreatedHere) throw badInput('the passkey could not be verified: request new options and retry')
  const { aaguid, credential, credentialDeviceType, credentialBackedUp } = registrationInfo
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64'),
    counter: credential.counter,
    deviceType: credentialDeviceType,
    backedUp: credentialBackedUp,
    transports: transportsOf(credential.transports),
    aaguid,
  }
}

const hostOf = (origin: string): string => new URL(origin).hostname

/** The database stores the token only as a hash, because the token is a secret. */
const challengeOf = (challenge: string, token: string): { id: string; purpose: string } => ({
  id: hashToken(challenge).toString('hex'),
  purpose: `invitation ${hashToken(token).toString('hex')}`,
})

/**
 * Returns the well-formed names of transports, separated by commas, or null if there are none. The library does not
 * check the transports that the browser sends.
 */
function transportsOf(given: unknown): string | null {
  const transports = Array.isArray(given) ? given.filter((each) => /^[a-z-]{1,20}$/.test(String(each))) : []
  return transports.length === 0 ? null : transports.join(',')
}

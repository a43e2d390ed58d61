import { type JWTVerifyGetKey, jwtVerify } from 'jose'

/** At least one of `sid` and `subject` is set. */
export interface LogoutToken {
  issuer: string
  sid: string | null
  subject: string | null
  /** The token's ID. The server rejects a second token with the same ID. */
  id: string
  expires: Date
}

interface LogoutTokenOptions {
  issuer: string
  clientId: string
  keys: JWTVerifyGetKey
  algorithms: string[]
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const MAX_AGE_SECONDS = 300
const TOLERANCE_SECONDS = 30

/** Checks a token as OpenID Connect Back-Channel Logout 1.0 §2.6 requires. Throws if the token is invalid. */
export async function verifyLogoutToken(
  token: string,
  { issuer, clientId, keys, algorithms }: LogoutTokenOptions,
): Promise<LogoutToken> {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms,
    clockTolerance: TOLERANCE_SECONDS,
    maxTokenAge: MAX_AGE_SECONDS,
    requiredClaims: ['iat', 'jti', 'events'],
  })
  const { sid = null, sub = null, jti, iat, events, nonce } = payload
  const event = (events as Record<string, unknown> | null)?.[EVENT]
  if (typeof event !== 'object' || event === null)
    throw new Error(`the token must have the claim "events" with an object named ${EVENT}`)
  // A logout token must not have a nonce, so that it cannot be used as an ID token (Back-Channel Logout 1.0 §2.4).
  if (nonce !== undefined) throw new Error('the token must not have the claim "nonce"')
  if ((sid !== null && typeof sid !== 'string') || (sid === null && sub === null))
    throw new Error('the token must have the claim "sid" or "sub", and "sid" must be a string')
  // After this time, the token is too old to be accepted, so the server no longer needs to remember its ID.
  const expires = new Date((iat! + MAX_AGE_SECONDS + 2 * TOLERANCE_SECONDS) * 1_000)
  return { issuer, sid: sid as string | null, subject: sub, id: String(jti), expires }
}

import { ssoError } from '../../authentication-reasons.ts'

/** Only the issuer and the subject together identify the person. */
export interface Identity {
  issuer: string
  subject: string
  email: string | null
  /** Whether the provider or the settings confirm that the email address belongs to the person. */
  emailVerified: boolean
  name: string | null
  /** Undefined if the claims do not list the groups, for example because they only refer to another source. */
  groups: readonly string[] | undefined
}

export interface IdentityOptions {
  /** The claim that contains the groups: its name, or its path with dots between the names. */
  groupsClaim: string
  /** Whether to trust an email address if the provider does not state whether it is verified. */
  trustEmail: boolean
}

export type Claims = Readonly<Record<string, unknown>>

const SUBJECT_LENGTH = 255
const MAX_GROUPS = 5_000

/** Throws `sso-failed` if the claims do not identify a person. */
export function readIdentity(claims: Claims, { groupsClaim, trustEmail }: IdentityOptions): Identity {
  const { iss, sub, email, email_verified: isVerified, name } = claims
  // A subject has at most 255 ASCII characters (OpenID Connect Core §2).
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '' || sub.length > SUBJECT_LENGTH)
    throw ssoError('sso-failed')
  return {
    issuer: iss,
    subject: sub,
    email: typeof email === 'string' && /^[^\s@]+@[^\s@]+$/.test(email) && email.length <= 254 ? email : null,
    emailVerified: isVerified === true || isVerified === 'true' || (isVerified === undefined && trustEmail),
    name: typeof name === 'string' && name.trim() !== '' ? name : null,
    groups: groupsIn(claims, groupsClaim),
  }
}

/**
 * Reads the groups from the claim whose name is `path`, which can be a URL with dots. If there is no such claim, reads
 * them from the claim at that path. Returns undefined if the claim is missing, or is neither a string nor a list.
 */
function groupsIn(claims: Claims, path: string): string[] | undefined {
  const value = Object.hasOwn(claims, path) ? claims[path] : path.split('.').reduce(memberOf, claims as unknown)
  const list = typeof value === 'string' ? [value] : value
  if (!Array.isArray(list)) return undefined
  return list.filter((group) => typeof group === 'string').slice(0, MAX_GROUPS)
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

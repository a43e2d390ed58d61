/** The kinds of sign-in that an account accepts from its members. */
export type SignInPolicy = 'ANY' | 'SECOND_FACTOR' | 'SSO'

export type RequiredSignIn = Exclude<SignInPolicy, 'ANY'>

const SSO = 'single sign-on'
const secondFactors: readonly (string | null)[] = [
  ...[SSO, 'passkey'],
  ...['password and code', 'password and backup code', 'password in trusted browser'],
]

export const toPolicy = (stored: string | null): SignInPolicy =>
  stored === 'SECOND_FACTOR' || stored === 'SSO' ? stored : 'ANY'

/** Returns the sign-in that the policy requires, or null if it allows `method`. Unknown methods count as a password. */
export function requiredSignIn(policy: SignInPolicy, method: string | null): RequiredSignIn | null {
  if (policy === 'SSO') return method === SSO ? null : 'SSO'
  if (policy === 'SECOND_FACTOR') return secondFactors.includes(method) ? null : 'SECOND_FACTOR'
  return null
}

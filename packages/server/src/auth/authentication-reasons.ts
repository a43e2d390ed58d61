import { signatureReasons } from '@muster/http-signature'
import { ApiError } from '../errors.ts'

/** Reasons that concern an access key. Only callers who can sign with the key receive them. */
export const keyReasons = {
  'key-disabled': 'The signature is valid, but its access key is disabled. Enable the key, or use another one.',
  'key-expired': 'The signature is valid, but its access key has expired. Use another key.',
  'key-deleted':
    'The stream was opened with an access key that has been deleted. Open the stream again with another key.',
  'key-network':
    "The signature is valid, but its access key cannot be used from the client address that the message contains. Send the request from one of the key's networks.",
  'key-policy':
    "The signature is valid, but its access key breaks a rule of the account's key policy. Change the key, or create one that follows the policy.",
  'key-member':
    'The signature is valid, but it was made with a personal key whose creator is not an enabled member of the account. Use another key.',
  'key-stale':
    'The signature is valid, but the creator of the personal key last used single sign-on more than MUSTER_OIDC_STALE days ago. This limit applies only to people whose membership comes from a single sign-on group. The creator must use single sign-on again.',
  'nonce-used': 'The signature is valid, but its nonce was used before. Sign each request with a new nonce.',
} as const

const otherReasons = {
  'user-disabled':
    'The credentials are valid, but the user, or every member of the account, is disabled. Ask the operator of the server to enable the user or a member of the account.',
  missing:
    'The request has no credentials that the operation accepts. Sign the request or, except in the REST API, use a session.',
  'download-link':
    'The download link is invalid or has expired, the access key or session that requested it can no longer download the list, or the access key cannot be used from the client address. Request a new link with credentials that can download the list from that address.',
} as const

export const deviceReasons = {
  'unknown-code':
    'The registration code does not exist, was deleted, or expired more than 7 days ago, or every member of its account is disabled. Check the code, and whether the account has an enabled member.',
  'expired-code': 'The registration code has expired. Create another code.',
  'used-up-code': 'The registration code has been used for the maximum number of devices. Create another code.',
  'no-credentials':
    'The request has no Authorization header. Use HTTP Basic, with the device ID without colons as the user name and the secret as the password.',
  'malformed-credentials':
    'The Authorization header is not valid. Use HTTP Basic, with the device ID without colons as the user name and the secret as the password.',
  'wrong-secret':
    "The device does not exist, the secret is wrong, or every member of the device's account is disabled. Check the device ID, the secret, and whether the account has an enabled member.",
} as const

const sessionReasons = {
  'wrong-password': 'The email address or the password is wrong.',
  'wrong-code':
    'The two-factor code or backup code is wrong, was used before, or is no longer valid. Use another code.',
  'sign-in-expired':
    'The code arrived too late or without the sign-in cookie, too many codes were wrong, or the passkey or authenticator app was removed during the sign-in. Start the sign-in again.',
  'passkey-refused':
    "The passkey is unknown to the server or belongs to another user, or the browser's response is invalid or too late. Try again, or use another passkey.",
  'sign-in-link':
    'The link to sign in or to set a password does not exist, has expired, or was used before. Ask the operator of the server for another link.',
  'no-session': 'The request needs a signed-in user. Sign in first.',
  'session-ended': 'The session cookie is invalid, or the session has ended. Sign in again.',
} as const

const ssoReasons = {
  'sso-failed':
    'The identity provider reported an error, its response failed a check or contains no email address, the browser did not send the sign-in cookie, or the server failed. Start the sign-in again. If it fails again, see the server log.',
  'sso-denied':
    'The identity provider denied the sign-in, for example because the person canceled it or is not allowed to use Muster. Start the sign-in again, or ask the administrator of the identity provider for access.',
  'sso-expired':
    "The sign-in took longer than ten minutes or began in another browser, the provider's response was used before, or the person's sessions were ended during the sign-in. Start the sign-in again.",
  'sso-not-invited':
    'MUSTER_OIDC_SIGN_UP does not let this person join without an invitation, or the invitation can no longer be accepted. Ask an admin of the account for an invitation.',
  'sso-use-invitation':
    "An open invitation for this person's email address exists. Open its link, and sign in from the invitation's page.",
  'sso-link-required':
    'A person or an account already has the email address of the identity, and the server cannot link the identity automatically. Sign in another way, and then link the identity under Account > Profile and security. If that also fails with this reason, the identity is already linked to another person.',
  'sso-disabled': 'The person is disabled on this server. Ask the operator of the server to enable the person.',
  'sso-unavailable':
    'The server cannot reach the identity provider, the provider failed, or single sign-on is not set up or is set up incorrectly. Try again later. If the server accepts other ways to sign in, they still work.',
  'sso-only':
    'This server does not accept passwords, passkeys, two-factor codes, or links to set a password. Use single sign-on.',
} as const

/**
 * The reasons for failed authentication. Errors contain them in `extensions.reason`, and redirects to the sign-in page
 * contain them in the parameter `error`.
 */
export const authenticationReasons = {
  ...signatureReasons,
  ...withStatus(401, { ...keyReasons, ...otherReasons, ...deviceReasons, ...sessionReasons }),
  // Status 303 is a redirect to the sign-in page. Routes without redirects respond with UNAUTHENTICATED instead.
  ...withStatus(303, ssoReasons),
  // Routes that accept passwords, codes, or links return this reason, so it is not a redirect.
  'sso-only': { status: 401, meaning: ssoReasons['sso-only'] },
} as const

function withStatus<Reason extends string>(status: number, meanings: Readonly<Record<Reason, string>>) {
  const entries = Object.entries(meanings).map(([reason, meaning]) => [reason, { status, meaning }])
  return Object.fromEntries(entries) as Record<Reason, { status: number; meaning: string }>
}

export const deviceAuthError = (reason: keyof typeof deviceReasons): ApiError =>
  new ApiError('UNAUTHENTICATED', deviceReasons[reason], { reason })

export const userDisabled = (): ApiError =>
  new ApiError('UNAUTHENTICATED', otherReasons['user-disabled'], { reason: 'user-disabled' })

export const sessionError = (reason: keyof typeof sessionReasons): ApiError =>
  new ApiError('UNAUTHENTICATED', sessionReasons[reason], { reason })

export const ssoError = (reason: keyof typeof ssoReasons): ApiError =>
  new ApiError('UNAUTHENTICATED', ssoReasons[reason], { reason })

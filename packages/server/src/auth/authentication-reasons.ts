import { signatureReasons } from '@muster/http-signature'
import { ApiError } from '../errors.ts'

/** Reasons that concern an access key. Only callers who can sign with the key receive them. */
export const keyReasons = {
  'key-disabled': {
    status: 401,
    meaning: 'The signature is valid, but its access key is disabled. Enable the key, or use another one.',
  },
  'key-expired': {
    status: 401,
    meaning: 'The signature is valid, but its access key has expired. Use another key.',
  },
  'key-deleted': {
    status: 401,
    meaning: 'The stream was opened with an access key that has been deleted. Open the stream again with another key.',
  },
  'key-network': {
    status: 401,
    meaning:
      "The signature is valid, but its access key cannot be used from the client address that the message contains. Send the request from one of the key's networks.",
  },
  'key-policy': {
    status: 401,
    meaning:
      "The signature is valid, but its access key breaks a rule of the account's key policy. Change the key, or create one that follows the policy.",
  },
  'key-member': {
    status: 401,
    meaning:
      'The signature is valid, but it was made with a personal key whose creator is not an enabled member of the account. Use another key.',
  },
  'key-stale': {
    status: 401,
    meaning:
      'The signature is valid, but it was made with a personal key whose creator is a member through a single sign-on group and last used single sign-on too long ago (see MUSTER_OIDC_STALE). The creator must use single sign-on again.',
  },
  'nonce-used': {
    status: 401,
    meaning: 'The signature is valid, but its nonce was used before. Sign each request with a new nonce.',
  },
} as const

const otherReasons = {
  'user-disabled': {
    status: 401,
    meaning:
      'The credentials are valid, but the user, or every member of the account, is disabled. Ask the administrator of the server to enable the user or a member of the account.',
  },
  missing: {
    status: 401,
    meaning:
      'The request has no credentials that the operation accepts. Sign the request or, except in the REST API, use a session.',
  },
  'download-link': {
    status: 401,
    meaning:
      'The download link is invalid or has expired, the access key or session that requested it can no longer download the list, or the access key cannot be used from the client address. Request a new link with credentials that can download the list from that address.',
  },
} as const

export const deviceReasons = {
  'unknown-code': {
    status: 401,
    meaning:
      'The registration code does not exist, was deleted, or expired more than 7 days ago, or every member of its account is disabled. Check the code, and whether the account has an enabled member.',
  },
  'expired-code': { status: 401, meaning: 'The registration code has expired. Create another code.' },
  'used-up-code': {
    status: 401,
    meaning: 'The registration code has been used for the maximum number of devices. Create another code.',
  },
  'no-credentials': {
    status: 401,
    meaning:
      'The request has no Authorization header. Use HTTP Basic, with the device ID without colons as the user name and the secret as the password.',
  },
  'malformed-credentials': {
    status: 401,
    meaning:
      'The Authorization header is not valid. Use HTTP Basic, with the device ID without colons as the user name and the secret as the password.',
  },
  'wrong-secret': {
    status: 401,
    meaning:
      "The device does not exist, the secret is wrong, or every member of the device's account is disabled. Check the device ID, the secret, and whether the account has an enabled member.",
  },
} as const

const sessionReasons = {
  'wrong-password': { status: 401, meaning: 'The email address or the password is wrong.' },
  'wrong-code': {
    status: 401,
    meaning: 'The two-factor code or backup code is wrong, was used before, or is no longer valid. Use another code.',
  },
  'sign-in-expired': {
    status: 401,
    meaning:
      'The code arrived too late or without the sign-in cookie, too many codes were wrong, or the passkey or authenticator app was removed during the sign-in. Start the sign-in again.',
  },
  'passkey-refused': {
    status: 401,
    meaning:
      "The passkey is unknown to the server or belongs to another user, or the browser's response is invalid or too late. Try again, or use another passkey.",
  },
  'sign-in-link': {
    status: 401,
    meaning:
      'The link to sign in or to set a password does not exist, has expired, or was used before. Ask the administrator of the server for another link.',
  },
  'no-session': { status: 401, meaning: 'The request needs a signed-in user. Sign in first.' },
  'session-ended': { status: 401, meaning: 'The session cookie is invalid, or the session has ended. Sign in again.' },
} as const

/** Status 303 is a redirect to the sign-in page. Routes without redirects respond with UNAUTHENTICATED instead. */
const ssoReasons = {
  'sso-failed': {
    status: 303,
    meaning:
      'The identity provider reported an error, its response failed a check or contains no email address, the browser did not send the sign-in cookie, or the server failed. Start the sign-in again. If it fails again, see the server log.',
  },
  'sso-denied': {
    status: 303,
    meaning:
      'The identity provider denied the sign-in, for example because the person canceled it or is not allowed to use Muster. Start the sign-in again, or ask the administrator of the identity provider for access.',
  },
  'sso-expired': {
    status: 303,
    meaning:
      "The sign-in took longer than ten minutes or began in another browser, or the provider's response was used before. Start the sign-in again.",
  },
  'sso-not-invited': {
    status: 303,
    meaning:
      'MUSTER_OIDC_SIGN_UP does not let this person join without an invitation, or the invitation can no longer be accepted. Ask an admin of the account for an invitation.',
  },
  'sso-use-invitation': {
    status: 303,
    meaning:
      "An open invitation for this person's email address exists. Open its link, and sign in from the invitation's page.",
  },
  'sso-link-required': {
    status: 303,
    meaning:
      'A person or an account already has the email address of the identity, and the server cannot link the identity automatically. Sign in another way, and then link the identity under Account, Profile and security. If that also fails with this reason, the identity is already linked to another person.',
  },
  'sso-disabled': {
    status: 303,
    meaning: 'The person is disabled on this server. Ask the administrator of the server to enable the person.',
  },
  'sso-unavailable': {
    status: 303,
    meaning:
      'The server cannot reach the identity provider, the provider failed, or single sign-on is not set up or is set up incorrectly. Try again later. If the server accepts other ways to sign in, they still work.',
  },
  'sso-only': {
    status: 401,
    meaning:
      'This server does not accept passwords, passkeys, two-factor codes, or links to set a password. Use single sign-on.',
  },
} as const

/**
 * The reasons for failed authentication. Errors contain them in `extensions.reason`, and redirects to the sign-in page
 * contain them in the parameter `error`.
 */
export const authenticationReasons = {
  ...signatureReasons,
  ...keyReasons,
  ...otherReasons,
  ...deviceReasons,
  ...sessionReasons,
  ...ssoReasons,
} as const

export const deviceAuthError = (reason: keyof typeof deviceReasons): ApiError =>
  new ApiError('UNAUTHENTICATED', deviceReasons[reason].meaning, { reason })

export const userDisabled = (): ApiError =>
  new ApiError('UNAUTHENTICATED', otherReasons['user-disabled'].meaning, { reason: 'user-disabled' })

export const sessionError = (reason: keyof typeof sessionReasons): ApiError =>
  new ApiError('UNAUTHENTICATED', sessionReasons[reason].meaning, { reason })

export const ssoError = (reason: keyof typeof ssoReasons): ApiError =>
  new ApiError('UNAUTHENTICATED', ssoReasons[reason].meaning, { reason })

import { optionalSetting, setting } from './setting.ts'
import { flag, integer, issuer, oneOf, ranges } from './values.ts'

export const singleSignOnSettings = {
  oidcIssuer: optionalSetting({
    name: 'MUSTER_OIDC_ISSUER',
    meaning:
      'Issuer URL of the OpenID Connect provider for single sign-on, exactly as the provider publishes it. Requires MUSTER_OIDC_CLIENT_ID, MUSTER_OIDC_CLIENT_SECRET, and MUSTER_PUBLIC_URL. At the provider, register the redirect URI: MUSTER_PUBLIC_URL followed by /auth/sso/callback. Not set: no single sign-on.',
    // An invalid value can contain a password.
    secret: true,
    parse: issuer,
  }),
  oidcClientId: optionalSetting({
    name: 'MUSTER_OIDC_CLIENT_ID',
    meaning: "This server's client ID at the OpenID Connect provider.",
    parse: (text) => text,
  }),
  oidcClientSecret: optionalSetting({
    name: 'MUSTER_OIDC_CLIENT_SECRET',
    meaning: "This server's client secret at the OpenID Connect provider.",
    secret: true,
    parse: (text) => text,
  }),
  oidcName: setting({
    name: 'MUSTER_OIDC_NAME',
    meaning: "Name of the OpenID Connect provider on the sign-in page's single sign-on button.",
    default: 'host of the issuer',
    parse: (text) => text,
  }),
  oidcScopes: setting({
    name: 'MUSTER_OIDC_SCOPES',
    meaning: 'Scopes that the server requests, separated by spaces. They must include openid.',
    default: 'openid profile email',
    parse: (text) => scopes(text ?? 'openid profile email'),
  }),
  oidcGroups: setting({
    name: 'MUSTER_OIDC_GROUPS',
    meaning:
      "Claim that contains a person's groups. For a nested claim, write a path with dots, such as realm_access.roles.",
    default: 'groups',
    parse: (text) => text ?? 'groups',
  }),
  oidcSignUp: setting({
    name: 'MUSTER_OIDC_SIGN_UP',
    meaning:
      'People who can join by single sign-on. invited: people with an invitation. mapped: also people in a group that a role names. anyone: also everyone else at the provider, each with a new account.',
    default: 'mapped',
    parse: (text) => oneOf(text ?? 'mapped', ['invited', 'mapped', 'anyone']),
  }),
  oidcTrustEmail: setting({
    name: 'MUSTER_OIDC_TRUST_EMAIL',
    meaning:
      'Which email addresses from the OpenID Connect provider the server trusts. 0: only those that the provider sends with email_verified: true. 1: also those that it sends without email_verified. Addresses with email_verified: false are never trusted.',
    default: '0',
    parse: (text) => flag(text ?? '0'),
  }),
  oidcSession: setting({
    name: 'MUSTER_OIDC_SESSION',
    meaning: 'Hours after which a session from single sign-on ends, even if it is in use.',
    default: '12',
    parse: (text) => integer(text ?? '12', 1, 720, 'hours') * 3_600_000,
  }),
  oidcStale: setting({
    name: 'MUSTER_OIDC_STALE',
    meaning:
      'Days without single sign-on after which the server rejects the personal keys of people whose membership comes from a group of the provider. 0: never.',
    default: '90',
    parse: (text) => integer(text ?? '90', 0, 36_500, 'days') * 86_400_000,
  }),
  oidcAllow: setting({
    name: 'MUSTER_OIDC_ALLOW',
    meaning:
      'Private addresses that the OpenID Connect provider can have, in addition to public addresses: CIDR ranges or single addresses, separated by commas, such as 10.20.0.0/16.',
    default: 'none',
    parse: (text) => ranges(text ?? ''),
  }),
  signIn: setting({
    name: 'MUSTER_SIGN_IN',
    meaning:
      'Ways to sign in to the console. password,sso: by password, passkey, or single sign-on. sso: only by single sign-on. Links from "muster users link" work in both cases.',
    default: 'password,sso',
    parse: (text) => oneOf((text ?? 'password,sso').replaceAll(' ', ''), ['password,sso', 'sso']),
  }),
}

function scopes(text: string): string {
  const names = text.split(/ +/)
  if (!names.includes('openid') || !names.every((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name)))
    throw new Error(
      'ASCII scopes without double quotes or backslashes, separated by spaces and including openid, such as openid profile email',
    )
  return names.join(' ')
}

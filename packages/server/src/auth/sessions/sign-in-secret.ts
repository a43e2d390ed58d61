import type { KeySecrets } from '../secrets.ts'

/** What cookies are signed with and codes of authenticator apps are kept under. */
export const signInSecret = (secrets: Pick<KeySecrets, 'deriveKey'>): string =>
  secrets.deriveKey('console sign-in').toString('base64url')

import type { KeySecrets } from '../../secrets.ts'

/** Derives the secret that signs cookies and encrypts the data of authenticator apps. */
export const signInSecret = (secrets: Pick<KeySecrets, 'deriveKey'>): string =>
  secrets.deriveKey('console sign-in').toString('base64url')

import { post } from '../sign-in/auth-call.ts'
import { createPasskey, type PasskeyOptions } from '../sign-in/create-passkey.ts'

export interface Invitation {
  account: { email: string; name: string | null }
  email: string | null
  role: string
  expires: string
}

export const describeInvitation = async (token: string): Promise<Invitation> =>
  (await post<{ invitation: Invitation }>('/invitation', { token })).invitation

export interface NewPerson {
  token: string
  email: string | null
  name: string | null
}

/** Creates a person with a password, adds the person to the account, and signs the person in. */
export const joinWithPassword = (person: NewPerson & { password: string }): Promise<unknown> =>
  post('/accept-invitation', person)

/** Like `joinWithPassword`, but with a passkey that the browser creates. */
export async function joinWithPasskey(person: NewPerson): Promise<unknown> {
  const passkey = await createPasskey(await post<PasskeyOptions>('/invitation/passkey-options', person))
  return post('/accept-invitation', { ...person, passkey })
}

const STORED = 'muster.invitation'

/**
 * Returns the token in the URL, and moves the token to the tab's storage, because it is a secret. Without a token in
 * the URL, returns the stored token, or an empty string if no token is stored.
 */
export function takeToken(): string {
  const token = window.location.hash.slice(1)
  if (token === '') return sessionStorage.getItem(STORED) ?? ''
  sessionStorage.setItem(STORED, token)
  window.history.replaceState(window.history.state, '', window.location.pathname)
  return token
}

export const forgetToken = (): void => sessionStorage.removeItem(STORED)

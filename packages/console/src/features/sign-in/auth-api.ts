import { api } from '../../app/paths.ts'
import { get, post } from './auth-call.ts'

export interface SessionInfo {
  id: string
  created: string
  lastUsed: string
  expires: string
  address: string | null
  agent: string | null
}

export interface WhoAmI {
  user: { id: string; email: string; name: string | null } | null
  session?: SessionInfo
  password?: boolean
  totp?: boolean
  passkeys?: number
  /** Whether an identity at the identity provider is linked to the user. */
  singleSignOn?: boolean
}

type SignInResult = { signedIn: true } | { signedIn: false; needs: 'totp' }

export interface Code {
  code: string
  /** Whether to skip the code in this browser for 30 days. */
  trustDevice: boolean
}

export interface SignInOptions {
  password: boolean
  singleSignOn: { name: string } | null
}

export const signInOptions = (): Promise<SignInOptions> => get('/sign-in-options')

/** `to` is the path to open after the sign-in. `invitation` is the token of the invitation to accept, if any. */
export const singleSignOnUrl = (parameters: { to: string; invitation?: string }): string =>
  `${api.auth}/sso/start?${new URLSearchParams(parameters)}`

/** Returns the URL at the identity provider where a signed-in user links an identity. */
export const linkIdentity = (): Promise<{ redirect: string }> => post('/sso/link')

export const whoAmI = (): Promise<WhoAmI> => get('/get-session')

export const signIn = (email: string, password: string): Promise<SignInResult> =>
  post('/sign-in/email', { email, password })

export const signInWithLink = (token: string): Promise<unknown> => post('/sign-in/link', { token })

export const setNewPassword = (token: string, password: string): Promise<unknown> =>
  post('/new-password', { token, password })

export const verifyTotp = (code: Code): Promise<SignInResult> => post('/two-factor/verify-totp', code)

export const verifyBackupCode = (code: Code): Promise<SignInResult> => post('/two-factor/verify-backup-code', code)

/** If single sign-on began the session, opening the URL `redirect` also ends the session at the identity provider. */
export const signOut = (): Promise<{ redirect?: string }> => post('/sign-out')

/** Passkeys require a secure context, and a host name instead of an IP address (WebAuthn §5.1.3, effective domain). */
export const supportsPasskeys = (): boolean =>
  typeof window.PublicKeyCredential === 'function' && !/^[\d.]+$|^\[/.test(window.location.hostname)

export const signInWithPasskey = async (): Promise<unknown> =>
  post('/passkey/verify-authentication', { response: await requestPasskey() })

export const confirmSignIn = (credentials: { password: string } | { code: string }): Promise<unknown> =>
  post('/confirm-sign-in', credentials)

export const confirmWithPasskey = async (): Promise<unknown> =>
  post('/confirm-sign-in', { response: await requestPasskey() })

/** Loads the passkey library on demand, because few users need it. */
async function requestPasskey(): Promise<object> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = await get<Parameters<typeof startAuthentication>[0]['optionsJSON']>(
    '/passkey/generate-authenticate-options',
  )
  return startAuthentication({ optionsJSON })
}

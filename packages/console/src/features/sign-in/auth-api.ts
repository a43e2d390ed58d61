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
  /** Whether sign-in requires a code from an authenticator app. */
  totp?: boolean
  passkeys?: number
}

type SignInResult = { signedIn: true } | { signedIn: false; needs: 'totp' }

export interface Code {
  code: string
  /** Whether to skip the code in this browser for 30 days. */
  trustDevice: boolean
}

export const whoAmI = (): Promise<WhoAmI> => get('/get-session')

export const signIn = (email: string, password: string): Promise<SignInResult> =>
  post('/sign-in/email', { email, password })

export const verifyTotp = (code: Code): Promise<SignInResult> => post('/two-factor/verify-totp', code)

export const verifyBackupCode = (code: Code): Promise<SignInResult> => post('/two-factor/verify-backup-code', code)

export const signOut = (): Promise<unknown> => post('/sign-out')

/**
 * Returns whether passkeys work at this address. Browsers support passkeys only on secure origins with a host name, not
 * an IP address (WebAuthn §5.1.3, effective domain).
 */
export const supportsPasskeys = (): boolean =>
  typeof window.PublicKeyCredential === 'function' && !/^[\d.]+$|^\[/.test(window.location.hostname)

export const signInWithPasskey = async (): Promise<unknown> =>
  post('/passkey/verify-authentication', { response: await requestPasskey() })

/** Authenticates the signed-in user again, for operations that require a recent sign-in. */
export const confirmSignIn = (credentials: { password: string } | { code: string }): Promise<unknown> =>
  post('/confirm-sign-in', credentials)

export const confirmWithPasskey = async (): Promise<unknown> =>
  post('/confirm-sign-in', { response: await requestPasskey() })

/** Asks the browser for a passkey. Loads the library only for this call, because few users need it. */
async function requestPasskey(): Promise<object> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = await get<Parameters<typeof startAuthentication>[0]['optionsJSON']>(
    '/passkey/generate-authenticate-options',
  )
  return startAuthentication({ optionsJSON })
}

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
  /** Whether signing in asks for a code. */
  totp?: boolean
  /** How many this person has. */
  passkeys?: number
}

type SignInAnswer = { signedIn: true } | { signedIn: false; needs: 'totp' }

export interface Code {
  code: string
  /** No code is asked for in this browser for 30 days. */
  trustDevice: boolean
}

export const whoAmI = (): Promise<WhoAmI> => get('/get-session')

export const signIn = (email: string, password: string): Promise<SignInAnswer> =>
  post('/sign-in/email', { email, password })

export const verifyTotp = (code: Code): Promise<SignInAnswer> => post('/two-factor/verify-totp', code)

export const verifyBackupCode = (code: Code): Promise<SignInAnswer> => post('/two-factor/verify-backup-code', code)

export const signOut = (): Promise<unknown> => post('/sign-out')

/**
 * Browsers know passkeys on secure origins only, and make them for names, not for numbers (WebAuthn §5.1.3, effective
 * domain).
 */
export const supportsPasskeys = (): boolean =>
  typeof window.PublicKeyCredential === 'function' && !/^[\d.]+$|^\[/.test(window.location.hostname)

export const signInWithPasskey = async (): Promise<unknown> =>
  post('/passkey/verify-authentication', { response: await askForPasskey() })

/** Shows again who is signed in, for what needs a recent sign-in. */
export const confirmSignIn = (shown: { password: string } | { code: string }): Promise<unknown> =>
  post('/confirm-sign-in', shown)

export const confirmWithPasskey = async (): Promise<unknown> =>
  post('/confirm-sign-in', { response: await askForPasskey() })

/** Asks the browser for a passkey. The library is loaded only by those who use one. */
async function askForPasskey(): Promise<object> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = await get<Parameters<typeof startAuthentication>[0]['optionsJSON']>(
    '/passkey/generate-authenticate-options',
  )
  return startAuthentication({ optionsJSON })
}

import type { startRegistration } from '@simplewebauthn/browser'

export type PasskeyOptions = Parameters<typeof startRegistration>[0]['optionsJSON']

/** Loads the passkey library on demand, because few users need it. */
export async function createPasskey(optionsJSON: PasskeyOptions): Promise<object> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  return startRegistration({ optionsJSON }).catch((error) => {
    throw new Error(errors[(error as Error).name] ?? (error as Error).message, { cause: error })
  })
}

/** Messages, keyed by the name of the browser's error. */
const errors: Record<string, string> = {
  NotAllowedError: 'The passkey was not created: the browser’s dialog was closed or timed out. Try again.',
  InvalidStateError: 'You already have a passkey on this device. Sign in with it, or add a passkey on another device.',
  SecurityError:
    'The browser does not allow a passkey for this server at this address. Open the console at the server’s public address, such as https://muster.example.com.',
}

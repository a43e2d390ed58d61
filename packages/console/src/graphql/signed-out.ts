import { createSignal } from '../hooks/signal.ts'

/** Lets any code notify the shell that the session has ended. */
export const signedOut = createSignal()

/** Lets any code notify the shell that the account requires another kind of sign-in. */
export const signInRequired = createSignal()

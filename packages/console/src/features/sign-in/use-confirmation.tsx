import { type ReactNode, useState } from 'react'
import { errorReason } from '../../graphql/describe-error.ts'
import { ConfirmSignIn } from './confirm-sign-in.tsx'

interface Confirmation {
  attempt: () => Promise<void>
  /** The operation's error, if any. Undefined if the operation failed only because the sign-in is too old. */
  error: unknown
  /** The form that asks for confirmation. Undefined if no confirmation is necessary. */
  form: ReactNode | undefined
}

/**
 * `attempt` runs an operation that requires a recent sign-in. If the sign-in is too old, `form` asks the user to
 * confirm it, and then runs the operation again.
 */
export function useConfirmation(operation: () => Promise<void>): Confirmation {
  const [error, setError] = useState<unknown>()
  const [needsConfirmation, setNeedsConfirmation] = useState(false)
  const attempt = async (): Promise<void> => {
    setError(undefined)
    try {
      await operation()
    } catch (failure) {
      const isTooOld = errorReason(failure) === 'sign-in-too-old'
      setNeedsConfirmation(isTooOld)
      if (!isTooOld) setError(failure)
    }
  }
  const form = needsConfirmation ? (
    <ConfirmSignIn onConfirmed={attempt} onCancel={() => setNeedsConfirmation(false)} />
  ) : undefined
  return { attempt, error, form }
}

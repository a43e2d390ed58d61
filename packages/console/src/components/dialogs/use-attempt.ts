import { useState } from 'react'

interface Attempt {
  /** Runs the operation. Resolves even if the operation fails. */
  attempt: () => Promise<void>
  isRunning: boolean
  /** The error of the last attempt. */
  error: unknown
}

/** Runs an operation for a form or button that shows whether it runs and why it failed. */
export function useAttempt(operation: () => Promise<unknown>): Attempt {
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>()
  const attempt = async (): Promise<void> => {
    setRunning(true)
    setError(undefined)
    try {
      await operation()
    } catch (failure) {
      setError(failure)
    } finally {
      setRunning(false)
    }
  }
  return { attempt, isRunning, error }
}

import { type FormEvent, useState } from 'react'

interface Attempt {
  /** Runs the operation. If the operation fails, sets `error` and still resolves. */
  attempt: () => Promise<void>
  submit: (event: FormEvent) => void
  isRunning: boolean
  error: unknown
  clearError: () => void
}

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
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void attempt()
  }
  return { attempt, submit, isRunning, error, clearError: () => setError(undefined) }
}

import { useCallback, useEffect, useState } from 'react'
import { signedOut } from '../../graphql/signed-out.ts'
import { AuthError } from '../sign-in/auth-call.ts'

interface Loaded<Data> {
  data?: Data
  error?: unknown
  reload: () => Promise<void>
}

/**
 * Calls `load` after the first render, and again after each render with a different `load` function. Therefore, pass
 * the same function on each render.
 */
export function useLoad<Data>(load: () => Promise<Data>): Loaded<Data> {
  const [state, setState] = useState<{ data?: Data; error?: unknown }>({})
  const reload = useCallback(async () => {
    try {
      setState({ data: await load() })
    } catch (error) {
      if (error instanceof AuthError && error.reason === 'no-session') signedOut.announce()
      setState(({ data }) => ({ data, error }))
    }
  }, [load])
  useEffect(() => void reload(), [reload])
  return { ...state, reload }
}

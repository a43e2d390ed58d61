import { useCallback, useEffect, useState } from 'react'
import { signedOut } from '../../graphql/signed-out.ts'
import { AuthError } from '../sign-in/auth-call.ts'

interface Loaded<Answer> {
  data?: Answer
  error?: unknown
  reload: () => Promise<void>
}

/** What a plain call answers, as `useQuery` does it for GraphQL. `load` is a function of a module. */
export function useLoad<Answer>(load: () => Promise<Answer>): Loaded<Answer> {
  const [state, setState] = useState<{ data?: Answer; error?: unknown }>({})
  const reload = useCallback(async () => {
    try {
      setState({ data: await load() })
    } catch (error) {
      if (isSessionGone(error)) signedOut.announce()
      setState(({ data }) => ({ data, error }))
    }
  }, [load])
  useEffect(() => void reload(), [reload])
  return { ...state, reload }
}

const isSessionGone = (error: unknown): boolean => error instanceof AuthError && error.reason === 'no-session'

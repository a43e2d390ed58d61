import { buildSchema, type GraphQLSchema } from 'graphql'
import { useEffect, useState } from 'react'

const url = '/graphql/v1/schema.graphql'

async function loadSchema(): Promise<GraphQLSchema> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`the server responded to ${url} with status ${response.status} instead of 200`)
  return buildSchema(await response.text(), { assumeValid: true })
}

interface Loaded {
  schema?: GraphQLSchema
  error?: unknown
  retry: () => void
}

export function useSchema(): Loaded {
  const [loaded, setLoaded] = useState<Omit<Loaded, 'retry'>>({})
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads the schema again
  useEffect(() => {
    let mounted = true
    loadSchema().then(
      (schema) => mounted && setLoaded({ schema }),
      (error: unknown) => mounted && setLoaded({ error }),
    )
    return () => {
      mounted = false
    }
  }, [attempt])
  return {
    ...loaded,
    retry: () => {
      setLoaded({})
      setAttempt((count) => count + 1)
    },
  }
}

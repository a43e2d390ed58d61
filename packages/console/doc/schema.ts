import { buildSchema, type GraphQLSchema } from 'graphql'
import { useEffect, useState } from 'react'

const address = '/graphql/v1/schema.graphql'

async function loadSchema(): Promise<GraphQLSchema> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`the server answered ${response.status} for ${address}`)
  return buildSchema(await response.text(), { assumeValid: true })
}

interface Loaded {
  schema?: GraphQLSchema
  error?: unknown
  again: () => void
}

/** The schema of this server, from its own text of it, which anybody may read. */
export function useSchema(): Loaded {
  const [loaded, setLoaded] = useState<Omit<Loaded, 'again'>>({})
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is another load
  useEffect(() => {
    let wanted = true
    loadSchema().then(
      (schema) => wanted && setLoaded({ schema }),
      (error: unknown) => wanted && setLoaded({ error }),
    )
    return () => {
      wanted = false
    }
  }, [tries])
  return {
    ...loaded,
    again: () => {
      setLoaded({})
      setTries((count) => count + 1)
    },
  }
}

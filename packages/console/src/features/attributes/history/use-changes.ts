import { useCallback, useEffect, useState } from 'react'
import { useClient } from 'urql'
import { type AttributeChangeFragment, AttributeHistoryDocument } from './attribute-history.generated.ts'

interface Loaded {
  changes: readonly AttributeChangeFragment[]
  hasMore: boolean
  cursor: string | null
}

export interface Changes {
  /** Undefined until the first page is loaded. */
  changes: readonly AttributeChangeFragment[] | undefined
  hasMore: boolean
  isLoading: boolean
  error: Error | undefined
  /** Loads the next page, or tries again to load the page that failed. */
  loadMore(): void
}

export function useChanges(targetId: string, name: string): Changes {
  const client = useClient()
  const [loaded, setLoaded] = useState<Loaded>()
  const [isLoading, setLoading] = useState(false)
  const [error, setError] = useState<Error>()

  const load = useCallback(
    async (before: Loaded | undefined): Promise<void> => {
      setLoading(true)
      setError(undefined)
      const variables = { id: [targetId], name, after: before?.cursor ?? null }
      const options = { requestPolicy: 'network-only' } as const
      const result = await client.query(AttributeHistoryDocument, variables, options).toPromise()
      setLoading(false)
      if (result.error !== undefined) return setError(result.error)
      const page = result.data?.login?.service[0]?.attributeHistory ?? { items: [], hasMore: false, cursor: null }
      setLoaded({ ...page, changes: [...(before?.changes ?? []), ...page.items] })
    },
    [client, targetId, name],
  )
  useEffect(() => void load(undefined), [load])

  return {
    changes: loaded?.changes,
    hasMore: loaded?.hasMore ?? false,
    isLoading,
    error,
    loadMore: () => void load(loaded),
  }
}

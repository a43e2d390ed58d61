import { useMemo } from 'react'
import { useQuery } from 'urql'
import { useTypes } from '../../graphql/use-change.ts'
import { usePolling } from '../../hooks/use-polling.ts'
import { useLiveRefresh } from '../../hooks/use-refresh.ts'
import { FreshnessNamesDocument, ValueAgesDocument } from './freshness.generated.ts'

/** The page polls, because no event reports that a value became stale or was written again without a change. */
const POLL_MS = 30_000

export interface StaleValue {
  confirmed: string | null
  /** The context in which the stale value is set. Undefined for a base value. */
  context: string | undefined
}

/**
 * Returns the stale values of a device or service, keyed by attribute name. Only attributes with an expected interval
 * can be stale, so accounts without expected intervals need no further request.
 */
export function useStaleValues(targetId: string, context: string | undefined): ReadonlyMap<string, StaleValue> {
  const [rules] = useQuery({
    query: FreshnessNamesDocument,
    requestPolicy: 'cache-first',
    context: useTypes('Freshness'),
  })
  const names = rules.data?.login?.freshness.map(({ name }) => name) ?? []
  const isUsed = names.length > 0
  const [{ data }, refetch] = useQuery({
    query: ValueAgesDocument,
    variables: { id: [targetId], names, context: context ?? null },
    pause: !isUsed,
    context: useTypes('AttributeInfo'),
  })
  const refresh = (): void => {
    if (isUsed) refetch({ requestPolicy: 'network-only' })
  }
  usePolling(refetch, isUsed ? POLL_MS : undefined)
  useLiveRefresh(refresh, ({ type, target }) => type === 'ATTRIBUTE_CHANGE' && target[0]?.id === targetId)
  const infos = isUsed ? data?.login?.service[0]?.attributeInfo : undefined
  return useMemo(
    () =>
      new Map(
        infos
          ?.filter(({ isStale }) => isStale)
          .map(({ name, confirmed, setIn }) => [name, { confirmed, context: setIn ?? undefined }]),
      ),
    [infos],
  )
}

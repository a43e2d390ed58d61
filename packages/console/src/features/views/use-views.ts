import { type CombinedError, useQuery } from 'urql'
import { useTypes } from '../../graphql/use-change.ts'
import { useLastValue } from '../../hooks/use-last-value.ts'
import { useViewer } from '../user-settings/viewer.ts'
import type { FilterKind } from './view-lists.ts'
import { type SavedViewFragment, ViewsDocument } from './views.generated.ts'

export type SavedView = SavedViewFragment

const none: readonly SavedView[] = []

interface Views {
  /** Undefined until the views are loaded. Empty for users who cannot see views. */
  views: readonly SavedView[] | undefined
  error: CombinedError | undefined
  retry(): void
}

export function useViews(kind: FilterKind): Views {
  const mayRead = useViewer().may('DEVICE_READ')
  const [{ data, error }, refetch] = useQuery({
    pause: !mayRead,
    query: ViewsDocument,
    variables: { kind },
    requestPolicy: 'cache-and-network',
    context: useTypes('View'),
  })
  const last = useLastValue(data?.login?.views)
  return {
    views: mayRead ? last : none,
    error,
    retry: () => refetch({ requestPolicy: 'network-only' }),
  }
}

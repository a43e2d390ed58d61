import { useQuery } from 'urql'
import { useTypes } from '../../graphql/use-change.ts'
import { useViewer } from '../user-settings/viewer.ts'
import type { FilterKind } from './view-lists.ts'
import { type SavedViewFragment, ViewsDocument } from './views.generated.ts'

export type SavedView = SavedViewFragment

const none: readonly SavedView[] = []

/**
 * Returns the saved views of a kind. Returns undefined until they are loaded, and an empty list for users who cannot
 * see views.
 */
export function useViews(kind: FilterKind): readonly SavedView[] | undefined {
  const mayRead = useViewer().may('DEVICE_READ')
  const [{ data }] = useQuery({
    pause: !mayRead,
    query: ViewsDocument,
    variables: { kind },
    requestPolicy: 'cache-and-network',
    context: useTypes('View'),
  })
  return mayRead ? data?.login?.views : none
}

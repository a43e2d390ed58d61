import { useQuery } from 'urql'
import { useTypes } from '../../graphql/use-change.ts'
import type { FilterKind } from './view-lists.ts'
import { type SavedViewFragment, ViewsDocument } from './views.generated.ts'

export type SavedView = SavedViewFragment

/** Returns the account's views of a kind, sorted by name. Undefined until loaded. */
export function useViews(kind: FilterKind): readonly SavedView[] | undefined {
  const [{ data }] = useQuery({
    query: ViewsDocument,
    variables: { kind },
    requestPolicy: 'cache-and-network',
    context: useTypes('View'),
  })
  return data?.login?.views
}

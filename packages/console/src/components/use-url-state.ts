import type { RegisteredRouter, RouteById, RouteIds } from '@tanstack/react-router'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

type Tree = RegisteredRouter['routeTree']
type SearchOf<Id extends RouteIds<Tree>> = RouteById<Tree, Id>['types']['fullSearchSchema']

interface ChangeOptions {
  /** In place of the present entry of the history: for typing and dragging, where each step back would be too many. */
  replace?: boolean
}

/**
 * What a page shows, kept in its address: it can be shared, and the back button works. The route's `validateSearch` says
 * what it holds. A member set to undefined leaves the address.
 */
export function useUrlState<Id extends RouteIds<Tree>>(
  from: Id,
): [state: SearchOf<Id>, change: (patch: Partial<SearchOf<Id>>, options?: ChangeOptions) => void] {
  const state = useSearch({ from, strict: true, shouldThrow: true } as never) as SearchOf<Id>
  const navigate = useNavigate()
  const change = useCallback(
    (patch: Partial<SearchOf<Id>>, { replace = false }: ChangeOptions = {}) => {
      const search = (before: object) => ({ ...before, ...patch })
      void navigate({ to: '.', search, replace, resetScroll: false } as never)
    },
    [navigate],
  )
  return [state, change]
}

import { type RegisteredRouter, type RouteById, type RouteIds, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

type Tree = RegisteredRouter['routeTree']
type SearchOf<Id extends RouteIds<Tree>> = RouteById<Tree, Id>['types']['fullSearchSchema']

interface ChangeOptions {
  /** Whether to replace the history entry. Typing and dragging would otherwise add an entry for each step. */
  replace?: boolean
}

/**
 * Returns the page's state from the URL, a function that changes some members, and a function that replaces all of
 * them. The route's `validateSearch` defines the state. Setting a member to undefined removes the member from the URL.
 */
export function useUrlState<Id extends RouteIds<Tree>>(
  from: Id,
): [
  state: SearchOf<Id>,
  change: (patch: Partial<SearchOf<Id>>, options?: ChangeOptions) => void,
  set: (state: SearchOf<Id>) => void,
] {
  const state = useSearch({ from, strict: true, shouldThrow: true } as never) as SearchOf<Id>
  const navigate = useNavigate()
  const change = useCallback(
    (patch: Partial<SearchOf<Id>>, { replace = false }: ChangeOptions = {}) => {
      const search = (before: object) => ({ ...before, ...patch })
      void navigate({ to: '.', search, replace, resetScroll: false } as never)
    },
    [navigate],
  )
  const set = useCallback((search: SearchOf<Id>) => void navigate({ to: '.', search } as never), [navigate])
  return [state, change, set]
}

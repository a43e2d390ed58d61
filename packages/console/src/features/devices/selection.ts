import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'

/** Which devices an action is for: some by id, or all that match the list's filter but these. */
export type Selected = { kind: 'some'; ids: ReadonlySet<string> } | { kind: 'all'; except: ReadonlySet<string> }

export interface Selection {
  selected: Selected
  has(id: string): boolean
  /** How many of so many that match; undefined while that is not known. */
  count(total: number | undefined): number | undefined
  set(ids: readonly string[], isSelected: boolean): void
  selectAll(): void
  clear(): void
}

const none: Selected = { kind: 'some', ids: new Set() }

/** Belongs to one filter: another one begins with nothing selected. */
export function useSelection(filterKey: string): Selection {
  const [state, setState] = useState({ filterKey, selected: none })
  const selected = state.filterKey === filterKey ? state.selected : none
  const latestKey = useRef(filterKey)
  useLayoutEffect(() => {
    latestKey.current = filterKey
  }, [filterKey])
  const change = useCallback(
    (next: (before: Selected) => Selected) => {
      // What was begun under the filter before counts for nothing.
      if (latestKey.current !== filterKey) return
      setState((before) => ({ filterKey, selected: next(before.filterKey === filterKey ? before.selected : none) }))
    },
    [filterKey],
  )
  return useMemo(
    () => ({
      selected,
      has: (id) => (selected.kind === 'some' ? selected.ids.has(id) : !selected.except.has(id)),
      count(total) {
        if (selected.kind === 'some') return selected.ids.size
        return total === undefined ? undefined : total - selected.except.size
      },
      set: (ids, isSelected) => change((before) => withIds(before, ids, isSelected)),
      selectAll: () => change(() => ({ kind: 'all', except: new Set() })),
      clear: () => change(() => none),
    }),
    [selected, change],
  )
}

function withIds(before: Selected, ids: readonly string[], isSelected: boolean): Selected {
  const named = new Set(before.kind === 'some' ? before.ids : before.except)
  const isNamed = before.kind === 'some' ? isSelected : !isSelected
  for (const id of ids) {
    if (isNamed) named.add(id)
    else named.delete(id)
  }
  return before.kind === 'some' ? { kind: 'some', ids: named } : { kind: 'all', except: named }
}

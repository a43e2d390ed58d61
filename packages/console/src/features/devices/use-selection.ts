import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'

/** The selection consists of individual devices, or of all devices that match the list's filter, with exceptions. */
export type Selected = { kind: 'some'; ids: ReadonlySet<string> } | { kind: 'all'; except: ReadonlySet<string> }

export interface Selection {
  selected: Selected
  has(id: string): boolean
  count(total: number | undefined): number | undefined
  set(ids: readonly string[], isSelected: boolean): void
  selectAll(): void
  clear(): void
}

const none: Selected = { kind: 'some', ids: new Set() }

/** Returns the selection that the user made with the current filter, or an empty selection. */
export function useSelection(filterKey: string): Selection {
  const [state, setState] = useState({ filterKey, selected: none })
  const selected = state.filterKey === filterKey ? state.selected : none
  const latestKey = useRef(filterKey)
  useLayoutEffect(() => {
    latestKey.current = filterKey
  }, [filterKey])
  const change = useCallback(
    (next: (before: Selected) => Selected) => {
      // Ignore a change that began before the filter changed.
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
  const listed = new Set(before.kind === 'some' ? before.ids : before.except)
  const isListed = before.kind === 'some' ? isSelected : !isSelected
  for (const id of ids) {
    if (isListed) listed.add(id)
    else listed.delete(id)
  }
  return before.kind === 'some' ? { kind: 'some', ids: listed } : { kind: 'all', except: listed }
}

import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from 'react'

/** A cell of the grid. Row 0 contains the headings, and column 0 contains the checkboxes. */
export interface GridCell {
  row: number
  column: number
}

interface GridKeysOptions {
  viewport: RefObject<HTMLDivElement | null>
  rows: number
  columns: number
  page: number
  onRow(index: number): void
  /** Makes a column wider by a number of pixels, or narrower if the number is negative. */
  onResize(column: number, by: number): void
}

interface GridKeys {
  active: GridCell
  setActive(cell: GridCell): void
  idOf(cell: GridCell): string
  onKeyDown(event: KeyboardEvent<HTMLDivElement>): void
}

const RESIZE_STEP = 16

/**
 * Follows the ARIA grid pattern. The grid is one tab stop and keeps the focus, because rows out of view are not
 * rendered.
 */
export function useGridKeys({ viewport, rows, columns, page, onRow, onResize }: GridKeysOptions): GridKeys {
  const [chosen, setActive] = useState<GridCell>({ row: 1, column: 1 })
  const id = useId()
  const idOf = ({ row, column }: GridCell): string => `${id}-${row}-${column}`
  const active = { row: Math.max(0, Math.min(chosen.row, rows - 1)), column: Math.min(chosen.column, columns - 1) }
  const { row, column } = active
  const [isMoved, setMoved] = useState(false)
  useEffect(() => {
    if (isMoved)
      document.getElementById(`${id}-${row}-${column}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [isMoved, id, row, column])

  const move = (to: Partial<GridCell>): void => {
    const next = { ...active, ...to }
    const target = {
      row: Math.max(0, Math.min(next.row, rows - 1)),
      column: Math.max(0, Math.min(next.column, columns - 1)),
    }
    setMoved(true)
    setActive(target)
    if (target.row > 0 && target.row !== row) onRow(target.row - 1)
  }
  const activate = (shiftKey: boolean): void => {
    const widget = document.getElementById(idOf(active))?.querySelector<HTMLElement>('input, a, button')
    widget?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey }))
  }
  const actions: Record<string, (event: KeyboardEvent) => void> = {
    ArrowUp: () => move({ row: row - 1 }),
    ArrowDown: () => move({ row: row + 1 }),
    ArrowLeft: ({ shiftKey }) =>
      shiftKey && row === 0 ? onResize(column, -RESIZE_STEP) : move({ column: column - 1 }),
    ArrowRight: ({ shiftKey }) =>
      shiftKey && row === 0 ? onResize(column, RESIZE_STEP) : move({ column: column + 1 }),
    Home: ({ ctrlKey }) => move(ctrlKey ? { row: 1, column: 0 } : { column: 0 }),
    End: ({ ctrlKey }) => move(ctrlKey ? { row: rows - 1, column: columns - 1 } : { column: columns - 1 }),
    PageUp: () => move({ row: Math.max(1, row - page) }),
    PageDown: () => move({ row: row + page }),
    Enter: ({ shiftKey }) => activate(shiftKey),
    ' ': ({ shiftKey }) => activate(shiftKey),
  }
  return {
    active,
    setActive,
    idOf,
    onKeyDown(event) {
      if (event.target !== viewport.current || event.altKey || event.metaKey) return
      const action = actions[event.key]
      if (action === undefined) return
      event.preventDefault()
      action(event)
    },
  }
}

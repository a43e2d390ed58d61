import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, useLayoutEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { useClient } from 'urql'
import { notifyError } from '../../../components/error-notice.tsx'
import { type Column, NAME_COLUMN } from '../columns/columns.ts'
import { MAX_WIDTH, MIN_WIDTH, type Sort } from '../devices-search.ts'
import type { DeviceRows } from '../rows/load-device-rows.ts'
import { readRowIds } from '../rows/row-ids.ts'
import type { Selection } from '../use-selection.ts'
import classes from './device-table.module.css'
import { TableHead } from './table-head.tsx'
import { TableRow } from './table-row.tsx'
import { useAvailableHeight } from './use-available-height.ts'
import { type GridCell, useGridKeys } from './use-grid-keys.ts'

interface DeviceTableProps {
  rows: DeviceRows
  isStale: boolean
  columns: readonly Column[]
  widths: Readonly<Record<string, number>>
  sort: Sort
  onSort(sort: Sort): void
  onResize(column: Column, width: number): void
  selection: Selection
}

const ROW_HEIGHT = 36
const CHECKBOX_WIDTH = 40
const PHONE_NAME_WIDTH = 170
/** Number of rows to render before and after the rows in view. */
const OVERSCAN = 8
/** Maximum number of rows. Chromium limits an element's height to about 33.5 million pixels, or 930,000 rows. */
export const MAX_ROWS = 900_000

export function DeviceTable({ rows, isStale, columns, sort, onSort, onResize, selection, ...more }: DeviceTableProps) {
  const widths = useColumnWidths(more.widths)
  const client = useClient()
  const viewport = useRef<HTMLDivElement>(null)
  const lastChecked = useRef<number | null>(null)
  const height = useAvailableHeight(viewport)
  useSyncExternalStore(rows.listen, () => rows.version)
  const length = Math.min(rows.length, MAX_ROWS)
  const virtual = useVirtualizer({
    count: length,
    getScrollElement: () => viewport.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    scrollPaddingStart: ROW_HEIGHT,
  })
  const items = virtual.getVirtualItems()
  const { startIndex: from, endIndex: last } = virtual.range ?? { startIndex: 0, endIndex: 0 }
  useLayoutEffect(() => rows.setView(from, last + 1), [rows, from, last])
  useLayoutEffect(() => {
    // Scroll to the top after the sort order or the filter changes, and after a refresh.
    if (rows) viewport.current?.scrollTo({ top: 0 })
    lastChecked.current = null
  }, [rows])

  const check = (index: number, isSelected: boolean, isRange: boolean): void => {
    const other = isRange ? (lastChecked.current ?? index) : index
    const [first, last] = [Math.min(index, other), Math.max(index, other)]
    lastChecked.current = index
    const ids = Array.from({ length: last - first + 1 }, (_, offset) => rows.row(first + offset)?.device.id)
    if (ids.every((id) => id !== undefined)) selection.set(ids, isSelected)
    else
      readRowIds(client, rows, { first, last }).then(
        (all) => selection.set(all, isSelected),
        (error: unknown) => notifyError('The selection was not changed', error),
      )
  }

  const widthOf = (column: Column): number => widths[column.id] ?? column.width
  const width = columns.reduce((sum, column) => sum + widthOf(column), CHECKBOX_WIDTH)
  const grid = useGridKeys({
    viewport,
    rows: length + 1,
    columns: columns.length + 1,
    page: Math.max(1, last - from),
    onRow: (index) => virtual.scrollToIndex(index),
    onResize(index, by) {
      const column = columns[index - 1]
      if (column !== undefined) onResize(column, Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, widthOf(column) + by)))
    },
  })
  const isActiveRendered = grid.active.row === 0 || items.some(({ index }) => index === grid.active.row - 1)
  const cellOf = (event: MouseEvent): GridCell | undefined => {
    const cell = (event.target as Element).closest<HTMLElement>('[data-column]')
    return cell === null ? undefined : { row: Number(cell.dataset.row), column: Number(cell.dataset.column) }
  }
  // All devices are selected if `selectedCount` equals `rows.total`. Both are undefined if the user selects all devices
  // before the total is known.
  const selectedCount = selection.count(rows.total)
  return (
    <div
      ref={viewport}
      className={classes.viewport}
      style={{ height }}
      data-stale={isStale || undefined}
      role="grid"
      tabIndex={0}
      aria-activedescendant={isActiveRendered ? grid.idOf(grid.active) : undefined}
      onKeyDown={grid.onKeyDown}
      onMouseDown={(event) => {
        const cell = cellOf(event)
        if (cell !== undefined) grid.setActive(cell)
      }}
      aria-label="Devices"
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-busy={isStale}
    >
      <TableHead
        columns={columns}
        widthOf={widthOf}
        sort={sort}
        onSort={onSort}
        onResize={onResize}
        idOf={(column) => grid.idOf({ row: 0, column })}
        activeColumn={grid.active.row === 0 ? grid.active.column : undefined}
        selected={selectedCount === 0 ? 'none' : selectedCount === rows.total ? 'all' : 'some'}
        onSelectAll={(isSelected) => (isSelected ? selection.selectAll() : selection.clear())}
      />
      <div className={classes.body} role="rowgroup" style={{ height: virtual.getTotalSize(), width }}>
        {items.map(({ index, start }) => {
          const row = rows.row(index)
          return (
            <TableRow
              key={index}
              index={index}
              start={start}
              row={row}
              columns={columns}
              widths={widths}
              idOf={(column) => grid.idOf({ row: index + 1, column })}
              activeColumn={grid.active.row === index + 1 ? grid.active.column : undefined}
              isSelected={row !== undefined && selection.has(row.device.id)}
              onCheck={check}
            />
          )
        })}
      </div>
    </div>
  )
}

/** Narrows the name column on phones, so that the name and the state fit. */
function useColumnWidths(widths: DeviceTableProps['widths']): DeviceTableProps['widths'] {
  const isPhone = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false })
  return useMemo(() => (isPhone ? { [NAME_COLUMN]: PHONE_NAME_WIDTH, ...widths } : widths), [isPhone, widths])
}

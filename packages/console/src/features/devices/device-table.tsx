import { Checkbox, VisuallyHidden } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Column, NAME_COLUMN } from './columns.ts'
import { DeviceCell } from './device-cell.tsx'
import type { DeviceRows } from './device-rows.ts'
import classes from './device-table.module.css'
import type { Sort } from './devices-search.ts'
import type { Row } from './page-cache.ts'
import type { Selection } from './selection.ts'
import { TableHead } from './table-head.tsx'

interface DeviceTableProps {
  rows: DeviceRows
  isBehind: boolean
  columns: readonly Column[]
  widths: Readonly<Record<string, number>>
  sort: Sort
  onSort(sort: Sort): void
  onResize(column: Column, width: number): void
  selection: Selection
}

const ROW_HEIGHT = 36
const CHECK_WIDTH = 40
/** Browsers draw no element higher than about 33 million pixels. */
export const MOST_ROWS = 900_000

/** The list as a table that holds only the rows in view, however many there are. */
export function DeviceTable({ rows, isBehind, columns, widths, sort, onSort, onResize, selection }: DeviceTableProps) {
  const viewport = useRef<HTMLDivElement>(null)
  const height = useRoomBelow(viewport)
  const length = Math.min(rows.length, MOST_ROWS)
  const virtual = useVirtualizer({
    count: length,
    getScrollElement: () => viewport.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    scrollPaddingStart: ROW_HEIGHT,
  })
  const items = virtual.getVirtualItems()
  const [from, to] = [items[0]?.index ?? 0, (items.at(-1)?.index ?? 0) + 1]
  useEffect(() => rows.show(from, to), [rows, from, to])
  useLayoutEffect(() => {
    // Another order or filter begins at its top.
    if (rows) viewport.current?.scrollTo({ top: 0 })
  }, [rows])

  const lastChecked = useRef<number | null>(null)
  const check = (index: number, isSelected: boolean, isRange: boolean): void => {
    const [first, last] = [lastChecked.current ?? index, index].toSorted((one, other) => one - other) as [
      number,
      number,
    ]
    const indices = isRange ? Array.from({ length: last - first + 1 }, (_, place) => first + place) : [index]
    const ids = indices.flatMap((each) => rows.row(each)?.device.id ?? [])
    lastChecked.current = index
    selection.set(ids, isSelected)
  }

  const widthOf = (column: Column): number => widths[column.id] ?? column.width
  const width = columns.reduce((sum, column) => sum + widthOf(column), CHECK_WIDTH)
  const selectedCount = selection.count(rows.total) ?? 0
  return (
    <div
      ref={viewport}
      className={classes.viewport}
      style={{ height }}
      data-behind={isBehind || undefined}
      role="table"
      aria-label="Devices"
      aria-rowcount={rows.length + 1}
      aria-busy={isBehind}
    >
      <TableHead
        columns={columns}
        widthOf={widthOf}
        sort={sort}
        onSort={onSort}
        onResize={onResize}
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
              isSelected={row !== undefined && selection.has(row.device.id)}
              onCheck={check}
            />
          )
        })}
      </div>
    </div>
  )
}

interface TableRowProps {
  index: number
  start: number
  row: Row | undefined
  columns: readonly Column[]
  widths: Readonly<Record<string, number>>
  isSelected: boolean
  onCheck(index: number, isSelected: boolean, isRange: boolean): void
}

const TableRow = memo(
  function TableRow({ index, start, row, columns, widths, isSelected, onCheck }: TableRowProps) {
    const check = (event: MouseEvent<HTMLInputElement>): void =>
      onCheck(index, event.currentTarget.checked, event.shiftKey)
    return (
      <div
        className={classes.row}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={isSelected}
        data-selected={isSelected || undefined}
        data-gone={row?.isGone || undefined}
        style={{ transform: `translateY(${start}px)` }}
      >
        <div className={`${classes.cell} ${classes.pinned}`} role="cell" style={{ width: CHECK_WIDTH }}>
          {row === undefined ? null : (
            <Checkbox
              size="xs"
              aria-label={`Select ${row.device.name}`}
              checked={isSelected}
              onChange={() => {}}
              onClick={check}
            />
          )}
        </div>
        {columns.map((column) => (
          <div
            key={column.id}
            className={column.id === NAME_COLUMN ? `${classes.cell} ${classes.pinned}` : classes.cell}
            role="cell"
            style={{ width: widths[column.id] ?? column.width }}
          >
            {row === undefined ? (
              <div className={classes.placeholder} />
            ) : (
              <>
                <DeviceCell device={row.device} column={column} />
                {row.isGone && column.id === NAME_COLUMN ? <VisuallyHidden>was deleted</VisuallyHidden> : null}
              </>
            )}
          </div>
        ))}
      </div>
    )
  },
  // `onCheck` is another function each time and does the same.
  (before, after) =>
    before.row === after.row &&
    before.start === after.start &&
    before.isSelected === after.isSelected &&
    before.columns === after.columns &&
    before.widths === after.widths,
)

const LEAST_HEIGHT = 320
const BELOW = 20

/** The table takes the room that the window has below its top. */
function useRoomBelow(element: React.RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(LEAST_HEIGHT)
  useLayoutEffect(() => {
    const measure = (): void => {
      const top = (element.current?.getBoundingClientRect().top ?? 0) + window.scrollY
      setHeight(Math.max(LEAST_HEIGHT, Math.floor(window.innerHeight - top - BELOW)))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    window.addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', measure)
    }
  }, [element])
  return height
}

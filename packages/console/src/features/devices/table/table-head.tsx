import { UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { type Column, NAME_COLUMN } from '../columns/columns.ts'
import { MAX_WIDTH, MIN_WIDTH, type Sort } from '../devices-search.ts'
import classes from './device-table.module.css'
import { RowCheckbox } from './table-row.tsx'

interface TableHeadProps {
  columns: readonly Column[]
  widthOf(column: Column): number
  sort: Sort
  onSort(sort: Sort): void
  onResize(column: Column, width: number): void
  idOf(column: number): string
  activeColumn: number | undefined
  selected: 'all' | 'some' | 'none'
  onSelectAll(isSelected: boolean): void
}

export function TableHead({ columns, idOf, activeColumn, selected, onSelectAll, ...ofCells }: TableHeadProps) {
  const { widthOf, sort, onSort, onResize } = ofCells
  const cell = (column: number) => ({
    id: idOf(column),
    'aria-colindex': column + 1,
    'data-row': 0,
    'data-column': column,
    'data-active': activeColumn === column || undefined,
  })
  return (
    <div className={classes.head} role="rowgroup">
      <div role="row" aria-rowindex={1} style={{ display: 'flex' }}>
        <div
          {...cell(0)}
          role="columnheader"
          className={`${classes.headCell} ${classes.cell} ${classes.pinned}`}
          style={{ width: 40 }}
        >
          <RowCheckbox
            label="Select all matching devices"
            isChecked={selected === 'all'}
            isMixed={selected === 'some'}
            onCheck={onSelectAll}
          />
        </div>
        {columns.map((column, position) => (
          <HeadCell
            key={column.id}
            cell={cell(position + 1)}
            column={column}
            width={widthOf(column)}
            sort={sort}
            onSort={onSort}
            onResize={(width) => onResize(column, width)}
          />
        ))}
      </div>
    </div>
  )
}

interface HeadCellProps {
  cell: Record<string, unknown>
  column: Column
  width: number
  sort: Sort
  onSort(sort: Sort): void
  onResize(width: number): void
}

function HeadCell({ cell, column, width, sort, onSort, onResize }: HeadCellProps) {
  const isSorted = column.sort === sort.by
  const className = column.id === NAME_COLUMN ? `${classes.headCell} ${classes.pinned}` : classes.headCell
  return (
    <div
      {...cell}
      role="columnheader"
      className={className}
      style={{ width }}
      aria-sort={isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined}
    >
      {column.sort === undefined ? (
        <div className={classes.headButton}>
          <span>{column.label}</span>
        </div>
      ) : (
        <UnstyledButton
          className={classes.headButton}
          title={`Sort by ${column.label}`}
          fz="inherit"
          tabIndex={-1}
          onClick={() => onSort({ by: column.sort as string, isDescending: isSorted && !sort.isDescending })}
        >
          <span>{column.label}</span>
          {isSorted ? <SortArrow isDescending={sort.isDescending} /> : null}
        </UnstyledButton>
      )}
      <ResizeHandle label={column.label} width={width} onResize={onResize} />
    </div>
  )
}

const SortArrow = ({ isDescending }: { isDescending: boolean }) =>
  isDescending ? <IconArrowDown size={14} aria-hidden="true" /> : <IconArrowUp size={14} aria-hidden="true" />

const RESIZE_STEP = 16

interface ResizeHandleProps {
  label: string
  width: number
  onResize(width: number): void
}

/**
 * Resizes a column when the user drags the handle, or presses Left or Right while the handle has the focus. While a
 * header cell is active, the grid itself resizes the column on Shift+Left and Shift+Right.
 */
function ResizeHandle({ label, width, onResize }: ResizeHandleProps) {
  const dragged = useRef<{ x: number; width: number } | null>(null)
  const resize = (to: number): void => onResize(Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, to))))
  const keys = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -RESIZE_STEP, ArrowRight: RESIZE_STEP }[event.key]
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    resize(width + step)
  }
  const begin = (event: PointerEvent): void => {
    event.currentTarget.setPointerCapture(event.pointerId)
    dragged.current = { x: event.clientX, width }
  }
  const drag = (event: PointerEvent): void => {
    if (dragged.current !== null) resize(dragged.current.width + event.clientX - dragged.current.x)
  }
  return (
    <div
      className={classes.handle}
      role="separator"
      tabIndex={-1}
      aria-orientation="vertical"
      aria-label={`Width of ${label}`}
      aria-valuenow={width}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      onKeyDown={keys}
      onPointerDown={begin}
      onPointerMove={drag}
      onPointerUp={() => {
        dragged.current = null
      }}
    />
  )
}

import { VisuallyHidden } from '@mantine/core'
import { type MouseEvent, memo } from 'react'
import { type Column, NAME_COLUMN } from '../columns/columns.ts'
import type { Row } from '../rows/page-cache.ts'
import { DeviceCell } from './device-cell.tsx'
import classes from './device-table.module.css'

interface TableRowProps {
  index: number
  /** Distance, in pixels, from the top of the list. */
  start: number
  row: Row | undefined
  columns: readonly Column[]
  widths: Readonly<Record<string, number>>
  idOf(column: number): string
  activeColumn: number | undefined
  isSelected: boolean
  onCheck(index: number, isSelected: boolean, isRange: boolean): void
}

export const TableRow = memo(
  function TableRow({ index, start, row, columns, widths, idOf, activeColumn, isSelected, onCheck }: TableRowProps) {
    const cell = (column: number) => ({
      id: idOf(column),
      'aria-colindex': column + 1,
      'data-row': index + 1,
      'data-column': column,
      'data-active': activeColumn === column || undefined,
    })
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
        {row === undefined ? (
          <div {...cell(0)} className={classes.placeholder} role="gridcell" />
        ) : (
          <>
            <div {...cell(0)} className={pinnedCell} role="gridcell">
              <RowCheckbox
                label={`Select ${row.device.name}`}
                isChecked={isSelected}
                onCheck={(isChecked, isRange) => onCheck(index, isChecked, isRange)}
              />
            </div>
            {columns.map((column, position) => (
              <div
                key={column.id}
                {...cell(position + 1)}
                className={column.id === NAME_COLUMN ? pinnedCell : classes.cell}
                role="gridcell"
                style={{ width: widths[column.id] ?? column.width }}
              >
                <DeviceCell device={row.device} column={column} />
                {row.isGone && column.id === NAME_COLUMN ? <VisuallyHidden>deleted</VisuallyHidden> : null}
              </div>
            ))}
          </>
        )}
      </div>
    )
  },
  // Ignore `onCheck` and `idOf`, which are new functions on each render but do the same thing for the same row.
  (before, after) =>
    before.row === after.row &&
    before.start === after.start &&
    before.isSelected === after.isSelected &&
    before.activeColumn === after.activeColumn &&
    before.columns === after.columns &&
    before.widths === after.widths,
)

const pinnedCell = `${classes.cell} ${classes.pinned}`

interface RowCheckboxProps {
  label: string
  isChecked: boolean
  isMixed?: boolean
  onCheck(isChecked: boolean, isRange: boolean): void
}

export function RowCheckbox({ label, isChecked, isMixed = false, onCheck }: RowCheckboxProps) {
  return (
    <input
      ref={(element) => {
        if (element !== null) element.indeterminate = isMixed
      }}
      type="checkbox"
      tabIndex={-1}
      className={classes.check}
      aria-label={label}
      checked={isChecked}
      onChange={() => {}}
      onClick={(event: MouseEvent<HTMLInputElement>) => onCheck(event.currentTarget.checked, event.shiftKey)}
    />
  )
}

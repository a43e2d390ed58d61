import { VisuallyHidden } from '@mantine/core'
import { type MouseEvent, memo } from 'react'
import { type Column, NAME_COLUMN } from '../columns/columns.ts'
import type { Row } from '../rows/page-cache.ts'
import { DeviceCell } from './device-cell.tsx'
import classes from './device-table.module.css'

interface TableRowProps {
  index: number
  /** The distance from the top of the list in pixels. */
  start: number
  row: Row | undefined
  columns: readonly Column[]
  widths: Readonly<Record<string, number>>
  isSelected: boolean
  onCheck(index: number, isSelected: boolean, isRange: boolean): void
}

export const TableRow = memo(
  function TableRow({ index, start, row, columns, widths, isSelected, onCheck }: TableRowProps) {
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
          <div className={classes.placeholder} role="cell" />
        ) : (
          <>
            <div className={pinnedCell} role="cell">
              <RowCheckbox
                label={`Select ${row.device.name}`}
                isChecked={isSelected}
                onCheck={(isChecked, isRange) => onCheck(index, isChecked, isRange)}
              />
            </div>
            {columns.map((column) => (
              <div
                key={column.id}
                className={column.id === NAME_COLUMN ? pinnedCell : classes.cell}
                role="cell"
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
  // `onCheck` changes on each render but always does the same.
  (before, after) =>
    before.row === after.row &&
    before.start === after.start &&
    before.isSelected === after.isSelected &&
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
      className={classes.check}
      aria-label={label}
      checked={isChecked}
      onChange={() => {}}
      onClick={(event: MouseEvent<HTMLInputElement>) => onCheck(event.currentTarget.checked, event.shiftKey)}
    />
  )
}

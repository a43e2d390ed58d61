import { createSlot } from '../../lib/slot.ts'
import type { AccountSize } from './row-count.ts'

/** Counts the charged rows that an operation actually reads but does not return. */
export interface RowMeter {
  readonly rows: number
  /** A resolver calls this immediately before a statement that `rowCosts` charges for. */
  add(rowsOf: (size: AccountSize) => number): void
}

/** `size` is the account size that the operation was charged by. */
export function createRowMeter(size: AccountSize): RowMeter {
  let rows = 0
  return {
    get rows() {
      return rows
    },
    add(rowsOf) {
      rows += rowsOf(size)
    },
  }
}

/** For operations that were not charged for rows: nothing is refunded, so nothing is counted. */
const noMeter: RowMeter = { rows: 0, add() {} }

const meters = createSlot<object, RowMeter>('row meter')

/** The meter of a request. */
export const rowMeterOf = (request: object): RowMeter => meters.get(request) ?? noMeter

/** Starts counting the rows that a request reads. */
export const startRowMeter = (request: object, size: AccountSize): void => meters.set(request, createRowMeter(size))

import { createSlot } from '../../lib/slot.ts'
import type { AccountSize } from './row-count.ts'

/** Adds up the rows that an operation does read and not return, as far as it was charged for them. */
export interface RowMeter {
  readonly rows: number
  /** Called by a resolver right before a statement that `rowCosts` charges for. */
  add(rowsOf: (size: AccountSize) => number): void
}

/** `size`: the size of the account by which the operation was charged. */
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

/** Of an operation that was not charged for rows: nothing is refunded, and so nothing is counted. */
const noMeter: RowMeter = { rows: 0, add() {} }

const meters = createSlot<object, RowMeter>('row meter')

/** The meter of a request. */
export const rowMeterOf = (request: object): RowMeter => meters.get(request) ?? noMeter

/** From here on the rows that a request reads count. */
export const startRowMeter = (request: object, size: AccountSize): void => meters.set(request, createRowMeter(size))

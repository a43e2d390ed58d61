import { createSlot } from '../../lib/slot.ts'
import type { AccountSize } from './scanned-row-estimate.ts'

/** Counts the rows that an operation actually reads but does not return, to correct its charge. */
export interface RowMeter {
  readonly rows: number
  /** Adds the number that `rowsOf` returns. Resolvers call this function for the rows that `rowCosts` estimates. */
  add(rowsOf: (size: AccountSize) => number): void
}

/** `size` must be the account size that was used to calculate the operation's charge. */
export function createRowMeter(size: AccountSize): RowMeter {
  const meter = {
    rows: 0,
    add(rowsOf: (size: AccountSize) => number) {
      meter.rows += rowsOf(size)
    },
  }
  return meter
}

/** The meter of operations that are not charged for rows. They get no refund, so this meter counts nothing. */
const noMeter: RowMeter = { rows: 0, add() {} }

const meters = createSlot<object, RowMeter>('row meter')

export const rowMeterOf = (request: object): RowMeter => meters.get(request) ?? noMeter

export const startRowMeter = (request: object, size: AccountSize): void => meters.set(request, createRowMeter(size))

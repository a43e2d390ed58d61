import { createSlot } from '../../lib/slot.ts'
import type { AccountSize } from './row-estimate.ts'

/** Counts the rows that an operation actually reads but does not return, to correct its charge. */
export interface RowMeter {
  readonly rows: number
  /** Adds rows that the operation reads. Resolvers call this for the work that `rowCosts` charges for. */
  add(rowsOf: (size: AccountSize) => number): void
}

/** `size` must be the account size that was used to calculate the operation's charge. */
export const createRowMeter = (size: AccountSize): RowMeter => new SizedRowMeter(size)

/** A class for the reason in docs/decisions/0007-memory-flags.md. */
class SizedRowMeter implements RowMeter {
  rows = 0
  readonly #size: AccountSize

  constructor(size: AccountSize) {
    this.#size = size
  }

  add(rowsOf: (size: AccountSize) => number): void {
    this.rows += rowsOf(this.#size)
  }
}

/** The meter of operations that are not charged for rows. They get no refund, so this meter counts nothing. */
const noMeter: RowMeter = { rows: 0, add() {} }

const meters = createSlot<object, RowMeter>('row meter')

export const rowMeterOf = (request: object): RowMeter => meters.get(request) ?? noMeter

export const startRowMeter = (request: object, size: AccountSize): void => meters.set(request, createRowMeter(size))

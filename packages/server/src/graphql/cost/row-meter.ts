import { perRequest } from '../per-request.ts'
import type { AccountSize } from './row-count.ts'

/** Adds up the rows that an operation does read and not return, as far as it was charged for them. */
export interface RowMeter {
  readonly rows: number
  /** From here on rows count, by the size by which the operation was charged. */
  start(size: AccountSize): void
  /** Called by a resolver right before a statement that `rowCosts` charges for. */
  add(rowsOf: (size: AccountSize) => number): void
}

export function createRowMeter(): RowMeter {
  let rows = 0
  let size: AccountSize | undefined
  return {
    get rows() {
      return rows
    },
    start(charged) {
      size = charged
    },
    add(rowsOf) {
      if (size !== undefined) rows += rowsOf(size)
    },
  }
}

/** The meter of a request. */
export const rowMeterOf = perRequest((_request: object) => createRowMeter())

/** The rows that a statement reads to find those that it returns. */
export interface RowsRead {
  /** The most rows that it may read but not return. 0 if an index leads to the rows. */
  rows: number
  /** Why it reads that many: one sentence for each argument to blame, for error messages. Empty if `rows` is small. */
  reasons: readonly string[]
}

export const noRowsRead: RowsRead = { rows: 0, reasons: [] }

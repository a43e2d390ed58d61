/** What a statement reads in order to find the rows it returns. */
export interface RowsRead {
  /** The most rows that it may read and not return. 0 if an index leads to what it returns. */
  rows: number
  /** Why it reads that many: one sentence for each argument to blame, for error messages. Empty if `rows` is small. */
  reasons: readonly string[]
}

export const noRowsRead: RowsRead = { rows: 0, reasons: [] }

/** The rows that a statement reads to find those that it returns. */
export interface RowsRead {
  /** The most rows that it may read but not return; 0 if it uses an index. */
  rows: number
  /** Why it reads that many, for error messages: a sentence for each argument that causes it. Empty if `rows` is small. */
  reasons: readonly string[]
}

export const noRowsRead: RowsRead = { rows: 0, reasons: [] }

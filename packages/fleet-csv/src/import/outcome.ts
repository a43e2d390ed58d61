import type { CsvProblem } from '../csv/cells.ts'

/** The outcome of an import. The import did not attempt the rows that no count includes. */
export interface Outcome {
  rows: number
  created: number
  updated: number
  unchanged: number
  /** Rejected rows, ordered by line. */
  problems: CsvProblem[]
  /** Error that stopped the import early. */
  stoppedBy?: Error
}

export const triedRows = ({ created, updated, unchanged, problems }: Outcome): number =>
  created + updated + unchanged + problems.length

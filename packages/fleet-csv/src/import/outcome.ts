import type { CsvProblem } from '../csv/cells.ts'

/** The outcome of an import. Rows that are not in any count were not attempted. */
export interface Outcome {
  rows: number
  created: number
  updated: number
  unchanged: number
  /** Rejected rows, by line. */
  problems: CsvProblem[]
  /** The error that stopped the import early. */
  stoppedBy?: Error
}

export const triedRows = ({ created, updated, unchanged, problems }: Outcome): number =>
  created + updated + unchanged + problems.length

import type { CsvProblem } from '../csv/cells.ts'

/** How an import went. Rows that are in none of the counts were not tried. */
export interface Outcome {
  rows: number
  created: number
  updated: number
  unchanged: number
  /** Rejected rows, by line. */
  problems: CsvProblem[]
  /** What ended the import before its end. */
  stoppedBy?: Error
}

export const triedRows = ({ created, updated, unchanged, problems }: Outcome): number =>
  created + updated + unchanged + problems.length

import type { CsvProblem } from '../csv/cells.ts'

/** The outcome of an import. No count includes the rows that the import did not attempt. */
export interface Outcome {
  rows: number
  created: number
  updated: number
  unchanged: number
  job?: string
  /** Rows that a running job has finished. The other counts include them after the end of the job. */
  finished?: number
  problems: CsvProblem[]
  stoppedBy?: Error
}

export const triedRows = ({ created, updated, unchanged, finished = 0, problems }: Outcome): number =>
  created + updated + unchanged + finished + problems.length

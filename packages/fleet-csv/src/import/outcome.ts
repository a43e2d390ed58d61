import type { CsvProblem } from '../csv/rfc-4180.ts'

/**
 * The outcome of an import. Only `rows` includes rows that the import did not attempt. In a dry run, `created` and
 * `updated` count the rows that an import would write.
 */
export interface Outcome {
  rows: number
  created: number
  updated: number
  unchanged: number
  job?: string
  /**
   * Number of rows that the running job has finished. After the job ends, the other counts include these rows instead.
   */
  finished?: number
  problems: CsvProblem[]
  stoppedBy?: Error
}

export const triedRows = ({ created, updated, unchanged, finished = 0, problems }: Outcome): number =>
  created + updated + unchanged + finished + problems.length

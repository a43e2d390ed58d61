import type { BulkJobFieldsFragment, BulkJobQuery, BulkSourceFragment } from './bulk.generated.ts'

export type Job = NonNullable<BulkJobQuery['login']>['bulkJob'][number]

type Counted = Pick<BulkJobFieldsFragment, 'state' | 'counts' | 'started'>

export const writingCount = ({ counts: { change, register } }: Counted): number => change + register

export const devicesText = (count: number): string => `${count.toLocaleString()} ${count === 1 ? 'device' : 'devices'}`

export function countsText({ counts, started }: Counted): string {
  const parts: [count: number, word: string][] =
    started === null
      ? [
          [counts.change, 'would change'],
          [counts.register, 'would be registered'],
          [counts.unchanged, 'unchanged'],
          [counts.rejected, 'rejected'],
          [counts.skipped, 'skipped'],
        ]
      : [
          [counts.done, 'done'],
          [counts.failed, 'failed'],
          [counts.skipped, 'skipped'],
          [counts.unchanged, 'unchanged'],
          [counts.pending, 'pending'],
        ]
  const shown = parts.filter(([count]) => count > 0).map(([count, word]) => `${count.toLocaleString()} ${word}`)
  return shown.length === 0 ? 'no devices' : shown.join(', ')
}

export const sourceText = ({ user, name, kind }: BulkSourceFragment): string => user?.email ?? name ?? kind

const operationTexts: Record<string, string> = {
  setAttributes: 'Set attributes',
  update: 'Change fields',
  addService: 'Add services',
  removeService: 'Remove services',
  delete: 'Delete devices',
}

export interface CsvTarget {
  columns: string[]
  register: boolean
  isUndo?: boolean
}

export const csvOf = ({ target }: Pick<Job, 'target'>): CsvTarget | undefined => target.csv as CsvTarget | undefined

export function operationsText(job: Pick<Job, 'operations' | 'target' | 'undoOf'>): string {
  // The operations and columns of an undo are those of the undone job.
  if (job.undoOf !== null || csvOf(job)?.isUndo === true) return 'Revert changes'
  const parts = job.operations.map((operation) => operationTexts[Object.keys(operation)[0] ?? ''] ?? 'Change')
  if (csvOf(job) !== undefined) parts.unshift('Apply the rows of a CSV file')
  const [first = 'Change', ...others] = new Set(parts)
  return [first, ...others.map((kind) => kind.charAt(0).toLowerCase() + kind.slice(1))].join(', ')
}

export const isDeletion = (operations: readonly object[]): boolean =>
  operations.some((operation) => 'delete' in operation)

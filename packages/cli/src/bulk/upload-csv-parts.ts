import type { Muster, Mutations } from '@muster/client'
import { divideCsv } from '@muster/fleet-csv/csv/divide-csv'
import { type Cell, parseCsv } from '@muster/fleet-csv/csv/rfc-4180'
import { usageError } from '../errors/cli-error.ts'
import { readInput } from '../import/read-input.ts'

type NewJob = Parameters<Mutations['createBulk']>[0]

interface CsvJob extends Omit<NewJob, 'target' | 'open'> {
  target?: Pick<NewJob['target'], 'register' | 'secrets'>
}

export async function readCsvParts(path: string): Promise<string[]> {
  const rows: Cell[][] = []
  for (const row of parseCsv((await readInput(path)).toString('utf8'))) {
    if ('reason' in row) throw usageError(`line ${row.line}: ${row.reason}`, 'Nothing was written.')
    rows.push(row.cells)
  }
  const [header, ...others] = rows
  if (header === undefined || others.length === 0)
    throw usageError(
      'the file contains no devices',
      'Write the column names in the first row, and one device in each of the other rows.',
    )
  return divideCsv(header, others).parts
}

export async function createCsvJob(
  muster: Muster,
  parts: readonly string[],
  { target, ...input }: CsvJob,
): Promise<{ id: string }> {
  const isOpen = parts.length > 1
  const job = await muster.mutations.createBulk({ ...input, target: { ...target, csv: parts[0]! }, open: isOpen })
  for (const csv of parts.slice(1)) await muster.mutations.appendBulk({ id: job.id, csv })
  return isOpen ? muster.mutations.previewBulk({ id: job.id }) : job
}

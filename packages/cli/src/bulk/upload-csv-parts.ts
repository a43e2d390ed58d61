import type { Muster, Mutations } from '@muster/client'
import { type Decoded, decodeText } from '@muster/fleet-csv/csv/decode-text'
import { divideCsv } from '@muster/fleet-csv/csv/divide-csv'
import { FileError } from '@muster/fleet-csv/csv/file-error'
import { assertReadable } from '@muster/fleet-csv/csv/read-file'
import { type CsvRow, parseCsv } from '@muster/fleet-csv/csv/rfc-4180'
import { usageError } from '../errors/cli-error.ts'
import { readInput } from '../import/read-input.ts'

type NewJob = Parameters<Mutations['createBulk']>[0]

interface CsvJob extends Omit<NewJob, 'target' | 'open'> {
  target?: Pick<NewJob['target'], 'register' | 'secrets'>
}

export async function readCsvParts(path: string): Promise<string[]> {
  const rows: CsvRow[] = []
  const { text, valid } = decode(await readInput(path))
  for (const record of parseCsv(text)) {
    try {
      rows.push(assertReadable(record, valid))
    } catch (error) {
      throw usageError(`line ${record.line}: ${(error as Error).message}`, 'Nothing was written.')
    }
  }
  const [header, ...others] = rows
  if (header === undefined || others.length === 0)
    throw usageError(
      'the file contains no devices',
      'Write the column names in the first row, and one device in each of the other rows.',
    )
  const cells = others.map((row) => row.cells)
  const lines = others.map(({ line }) => line)
  return divideCsv(header.cells, cells, lines).parts
}

function decode(bytes: Buffer): Decoded {
  try {
    return decodeText(bytes)
  } catch (error) {
    if (error instanceof FileError) throw usageError(error.message, error.hint)
    throw error
  }
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

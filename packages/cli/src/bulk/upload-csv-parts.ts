import type { Muster, Mutations } from '@muster/client'
import { type Decoded, decodeText } from '@muster/fleet-csv/csv/decode-text'
import { divideCsv } from '@muster/fleet-csv/csv/divide-csv'
import { FileError } from '@muster/fleet-csv/csv/file-error'
import { assertReadable } from '@muster/fleet-csv/csv/read-file'
import { type CsvRow, parseCsv } from '@muster/fleet-csv/csv/rfc-4180'
import { usageError } from '../errors/cli-error.ts'
import { readInput } from '../import/read-input.ts'
import { canceled } from '../terminal/confirm.ts'
import { onInterrupt } from '../terminal/interrupt.ts'

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

/** Cancels the job and throws if the user presses Ctrl-C, or if a request fails. */
export async function createCsvJob(
  muster: Muster,
  parts: readonly string[],
  { target, ...input }: CsvJob,
): Promise<{ id: string }> {
  const [csv = '', ...others] = parts
  const isOpen = others.length > 0
  const { signal, release } = onInterrupt(() => {})
  try {
    const { id } = await muster.mutations.createBulk({ ...input, target: { ...target, csv }, open: isOpen })
    try {
      for (const part of others) if (!signal.aborted) await muster.mutations.appendBulk({ id, csv: part })
      if (isOpen && !signal.aborted) await muster.mutations.previewBulk({ id })
      if (signal.aborted) throw canceled()
    } catch (error) {
      // If the server cannot cancel the job either, the first error is the more useful one.
      await muster.mutations.cancelBulk({ id }).catch(() => {})
      throw error
    }
    return { id }
  } finally {
    release()
  }
}

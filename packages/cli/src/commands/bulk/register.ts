import { type Cell, parseCsv } from '@muster/fleet-csv/csv/cells'
import { divideCsv } from '@muster/fleet-csv/csv/divide-csv'
import type { Command } from 'commander'
import { type BulkOptions, startPreviewed, withJobOptions } from '../../bulk/change-in-bulk.ts'
import { usageError } from '../../errors/cli-error.ts'
import { readInput } from '../../import/read-input.ts'
import { newClientCommand, prose } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { formatHelp } from '../format-help.ts'

export function buildCommand(): Command {
  return withJobOptions(
    newClientCommand('register')
      .description(
        prose(`Register devices from a CSV file with a job on the server. A column id, hardwareId, or name finds the
device of a row. If no device matches, the row registers one, without a secret. The cells of other rows are values to set.

muster bulk register fleet.csv`),
      )
      .argument('<file>', 'CSV file in UTF-8; - for standard input')
      .addHelpText('after', formatHelp),
  ).action(run)
}

async function run(path: string, options: BulkOptions): Promise<void> {
  const parts = divide((await readInput(path)).toString('utf8'))
  const muster = await openMuster(options, 6)
  const { name, rate, maxFailures } = options
  const job = await muster.mutations.createBulk({
    target: { csv: parts[0]!, register: true },
    operations: [],
    open: parts.length > 1,
    ...(name !== undefined && { name }),
    ...(rate !== undefined && { rate }),
    ...(maxFailures !== undefined && { maxFailures }),
  })
  for (const csv of parts.slice(1)) await muster.mutations.appendBulk({ id: job.id, csv })
  if (parts.length > 1) await muster.mutations.previewBulk({ id: job.id })
  await startPreviewed(muster, job.id, 'Change', options)
}

/** Divides a file into parts that a request accepts, each with the names of the columns. */
function divide(text: string): string[] {
  const rows: Cell[][] = []
  for (const row of parseCsv(text)) {
    if ('reason' in row) throw usageError(`line ${row.line}: ${row.reason}`, 'Nothing was written.')
    rows.push(row.cells)
  }
  const [header, ...others] = rows
  if (header === undefined || others.length === 0)
    throw usageError('the file has no rows', 'Its first row names the columns.')
  return divideCsv(header, others).parts
}

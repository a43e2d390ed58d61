import { neutralizeFormula } from '@muster/fleet-csv/csv/formulas'
import { formatCsvRow } from '@muster/fleet-csv/csv/rfc-4180'
import type { Command } from 'commander'
import { readJob } from '../../bulk/bulk-jobs.ts'
import { itemColumns, itemsOf } from '../../bulk/job-items.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { write } from '../../terminal/standard-output.ts'

export function buildCommand(): Command {
  return newClientCommand('report')
    .description(`Write the devices of a job with their results and changes as CSV.

muster bulk report bj_… > result.csv`)
    .argument('<job>', 'ID of the job')
    .action(run)
}

async function run(id: string, options: ClientOptions): Promise<void> {
  const muster = await openMuster(options, 4)
  await readJob(muster, id)
  await write(formatCsvRow(itemColumns.map(({ name }) => name)))
  for await (const item of itemsOf(muster, id, undefined)) {
    const cells = itemColumns.map(({ value }) => {
      const cell = value(item)
      return cell == null ? null : neutralizeFormula(String(cell))
    })
    await write(formatCsvRow(cells))
  }
}

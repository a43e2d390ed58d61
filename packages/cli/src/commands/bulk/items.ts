import type { Command } from 'commander'
import { readJob, upperNames } from '../../bulk/bulk-jobs.ts'
import { itemColumns, itemStatuses, itemsOf } from '../../bulk/job-items.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { namesWithCommas } from '../../options/option-values.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ListOptions {
  status?: string[]
}

export function buildCommand(): Command {
  return newListCommand('items', { limit: 100 })
    .description('List the devices of a bulk job with their results.')
    .argument('<job>', 'ID of the job')
    .option(
      '--status <statuses>',
      'statuses to list, comma-separated: pending, done, unchanged, skipped, or failed (default: all)',
      namesWithCommas,
    )
    .action(run)
}

async function run(id: string, { status, ...options }: Options): Promise<void> {
  const columns = chooseColumns(options.columns, {
    known: itemColumns,
    usual: ['device', 'name', 'status', 'reason', 'code', 'message'],
  })
  const wanted = upperNames(status, itemStatuses, '--status')
  const muster = await openMuster(options, 4)
  await readJob(muster, id)
  await printList({ items: itemsOf(muster, id, wanted), columns, options, empty: 'No devices found.' })
}

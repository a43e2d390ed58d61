import type { Muster } from '@muster/client'
import type { Command } from 'commander'
import { type JobRow, jobColumns, jobFields } from '../../bulk/bulk-jobs.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'
import { itemsOfPages } from '../../server/pages.ts'

const usual = ['id', 'name', 'state', 'total', 'done', 'failed', 'skipped', 'created']

export function buildCommand(): Command {
  return newListCommand('list', { limit: 100 }).description('List bulk jobs, newest first.').action(run)
}

async function run(options: ListOptions): Promise<void> {
  const columns = chooseColumns(options.columns, { known: jobColumns, usual })
  const muster = await openMuster(options, 4)
  await printList({ items: jobsOf(muster), columns, options, empty: 'No bulk jobs found.' })
}

const jobsOf = (muster: Muster): AsyncGenerator<JobRow> =>
  itemsOfPages(async (after) => {
    const bulkJobs = { $: { after }, items: jobFields, hasMore: true, cursor: true } as const
    return (await muster.select({ login: { bulkJobs } })).login?.bulkJobs
  })

import type { Muster } from '@muster/client'
import type { Command } from 'commander'
import { readJob, upperNames } from '../../bulk/bulk-jobs.ts'
import { type ListOptions, namesWithCommas, newListCommand } from '../../options/new-command.ts'
import { type Column, chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ListOptions {
  status?: string[]
}

interface ItemRow {
  device: { id: string; name: string }
  outcome: string
  status: string
  changes: object
  reason: string | null
  code: string | null
  message: string | null
}

const itemColumns: readonly Column<ItemRow>[] = [
  { name: 'device', value: ({ device }) => device.id, truncated: 'first' },
  { name: 'name', value: ({ device }) => device.name, truncated: 'last' },
  { name: 'outcome', value: ({ outcome }) => outcome },
  { name: 'status', value: ({ status }) => status },
  { name: 'reason', value: ({ reason }) => reason },
  { name: 'code', value: ({ code }) => code },
  { name: 'message', value: ({ message }) => message, truncated: 'last' },
  { name: 'changes', value: ({ changes }) => JSON.stringify(changes), truncated: 'last' },
]

interface Page {
  items: ItemRow[]
  hasMore: boolean
  cursor: string | null
}

const statuses = ['PENDING', 'DONE', 'UNCHANGED', 'SKIPPED', 'FAILED'] as const

export function buildCommand(): Command {
  return newListCommand('items', { limit: 100 })
    .description('List the devices of a bulk job with their results.')
    .argument('<job>', 'ID of the job')
    .option('--status <statuses>', 'pending, done, unchanged, skipped, or failed; comma-separated', namesWithCommas)
    .action(run)
}

async function run(id: string, { status, ...options }: Options): Promise<void> {
  const columns = chooseColumns(options.columns, {
    known: itemColumns,
    usual: ['device', 'name', 'status', 'reason', 'code', 'message'],
  })
  const wanted = upperNames(status, statuses, '--status')
  const muster = await openMuster(options, 4)
  await readJob(muster, id)
  await printList({ items: itemsOf(muster, id, wanted), columns, options, empty: 'No devices found.' })
}

async function* itemsOf(
  muster: Muster,
  id: string,
  status: (typeof statuses)[number][] | undefined,
): AsyncGenerator<ItemRow> {
  let after: string | null = null
  do {
    const page: Page | undefined = (
      await muster.select({
        login: {
          bulkJob: {
            $: { id: [id] },
            items: {
              $: { size: 1_000, ...(status !== undefined && { status }), ...(after !== null && { after }) },
              items: {
                device: { id: true, name: true },
                outcome: true,
                status: true,
                changes: true,
                reason: true,
                code: true,
                message: true,
              },
              hasMore: true,
              cursor: true,
            },
          },
        },
      })
    ).login?.bulkJob[0]?.items
    if (page === undefined) return
    yield* page.items
    after = page.hasMore ? page.cursor : null
  } while (after !== null)
}

import type { Muster, Selected } from '@muster/client'
import type { Command } from 'commander'
import { findDeviceId } from '../../devices/find-device.ts'
import { sourceOf } from '../../events/event-columns.ts'
import { pastMoment } from '../../options/moment.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { type Column, chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'
import { itemsOfPages, pageSizeFor } from '../../server/pages.ts'

interface Options extends ListOptions {
  context?: string
  since?: string
  until?: string
}

const changeFields = {
  eventId: true,
  at: true,
  name: true,
  context: true,
  old: true,
  new: true,
  source: { kind: true, id: true, name: true, user: { email: true } },
} as const

type ChangeRow = Selected<'AttributeChange', typeof changeFields>

const changeColumns: readonly Column<ChangeRow>[] = [
  { name: 'at', value: ({ at }) => at, time: true },
  { name: 'name', value: ({ name }) => name },
  { name: 'context', value: ({ context }) => context },
  { name: 'old', value: (change) => change.old, truncated: 'last' },
  { name: 'new', value: (change) => change.new, truncated: 'last' },
  { name: 'source', value: sourceOf },
  { name: 'user', value: ({ source }) => source.user?.email },
  { name: 'eventId', value: ({ eventId }) => eventId, truncated: 'first' },
]

export function buildCommand(): Command {
  return newListCommand('history', { limit: 100 })
    .argument('<device>', 'ID, hardware ID, or name')
    .argument('[name]', 'attribute name or group name; a group name selects every attribute in the group')
    .option('--context <name>', 'show only changes in this context')
    .option('--since <when>', 'show changes since this time: a date, or a duration before now, such as 12h', pastMoment)
    .option('--until <when>', 'show changes before this time: a date, or a duration before now', pastMoment)
    .action(run)
}

async function run(nameOrId: string, name: string | undefined, { context, since, until, ...options }: Options) {
  const muster = await openMuster(options, 6)
  const columns = chooseColumns(options.columns, {
    known: changeColumns,
    usual: ['at', 'name', 'context', 'old', 'new', 'source', 'user'],
  })
  const items = changesOf(muster, await findDeviceId(muster, nameOrId), {
    size: pageSizeFor(options.limit),
    name,
    context,
    minDate: since,
    maxDate: until,
  })
  await printList({ items, columns, options, empty: 'No changes found.' })
}

const changesOf = (muster: Muster, id: string, args: object): AsyncGenerator<ChangeRow> =>
  itemsOfPages(async (after) => {
    const { attributeHistory } = await muster.getDevice(id, {
      select: { attributeHistory: { $: { ...args, after }, items: changeFields, hasMore: true, cursor: true } },
    })
    return attributeHistory
  })

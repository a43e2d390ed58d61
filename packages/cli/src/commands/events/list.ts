import type { Command } from 'commander'
import { eventColumns, eventFields, usualEventColumns } from '../../events/event-columns.ts'
import {
  type EventFilterOptions,
  eventFilterArguments,
  withEventFilterOptions,
} from '../../events/event-filter-options.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'
import { pageSizeFor } from '../../server/pages.ts'
import { columnsOf, findGivenView } from '../../views/views.ts'

interface Options extends ListOptions, EventFilterOptions {}

export function buildCommand(): Command {
  const command = newListCommand('list', { limit: 100 }).description(
    'List events, newest first. Without --since, list events of any age.',
  )
  return withEventFilterOptions(command, 'list').action(run)
}

async function run(options: Options): Promise<void> {
  const muster = await openMuster(options, 6)
  const view = await findGivenView(muster, options.view)
  const columns = chooseColumns(options.columns ?? columnsOf(view, 'EVENTS'), {
    known: eventColumns,
    usual: usualEventColumns,
    ...(options.columns === undefined && { other: (name) => ({ name, value: () => null }) }),
  })
  const items = muster.pastEvents({
    ...(await eventFilterArguments(muster, options, view)),
    size: pageSizeFor(options.limit),
    select: eventFields,
  })
  await printList({ items, columns, options, empty: 'No events found.' })
}

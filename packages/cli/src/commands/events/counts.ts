import type { Selected } from '@muster/client'
import type { Command } from 'commander'
import {
  type EventFilterOptions,
  eventFilterArguments,
  withEventFilterOptions,
} from '../../events/event-filter-options.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { wholeNumber } from '../../options/option-values.ts'
import { type Column, chooseColumns } from '../../output/column.ts'
import { counted } from '../../output/counted.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'
import { findGivenView } from '../../views/views.ts'

interface Options extends ListOptions, EventFilterOptions {
  intervals: number
}

const MAX_INTERVALS = 200

const countFields = { from: true, until: true, count: true } as const

type EventCount = Selected<'EventCount', typeof countFields>

/** Width of the longest bar in terminal columns. */
const BAR_WIDTH = 40

export function buildCommand(): Command {
  const command = newListCommand('counts', { limit: Number.POSITIVE_INFINITY })
    .description(`Count events in intervals of equal length, oldest interval first. Without --since, the range is the
month before --until or, without --until, the month before now. The default columns are from, events, and bar (a bar of
proportional length) or, with --csv, from, until, and events.

muster events counts --since 1d --type device.state`)
    .option('--intervals <count>', 'maximum number of intervals, 1 to 200', wholeNumber(1, MAX_INTERVALS), 60)
  return withEventFilterOptions(command, 'count').action(run)
}

async function run(options: Options): Promise<void> {
  const muster = await openMuster(options, 6)
  const view = await findGivenView(muster, options.view)
  const filter = await eventFilterArguments(muster, options, view)
  const { login } = await muster.select({
    login: { eventCounts: { $: { ...filter, intervals: options.intervals }, ...countFields } },
  })
  const counts: readonly EventCount[] = login?.eventCounts ?? []
  const usual = options.csv ? ['from', 'until', 'events'] : ['from', 'events', 'bar']
  const columns = chooseColumns(options.columns, { known: columnsFor(counts), usual })
  await printList({
    items: counts,
    columns,
    options,
    empty: 'The time range is empty. --since must be before --until or, without --until, before now.',
  })
  if (options.json || options.csv) return
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  console.error(`${counted(total, 'event')} in total.`)
}

function columnsFor(counts: readonly EventCount[]): Column<EventCount>[] {
  const most = Math.max(1, ...counts.map(({ count }) => count))
  return [
    { name: 'from', value: ({ from }) => from, time: true, truncated: 'last' },
    { name: 'until', value: ({ until }) => until, time: true, truncated: 'last' },
    { name: 'events', value: ({ count }) => count, truncated: 'last' },
    { name: 'bar', value: ({ count }) => '█'.repeat(Math.ceil((BAR_WIDTH * count) / most)) },
  ]
}

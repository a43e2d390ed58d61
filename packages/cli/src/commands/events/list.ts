import type { EventType } from '@muster/client'
import type { Command } from 'commander'
import { findDeviceIds } from '../../devices/find-device.ts'
import { joinFilters } from '../../devices/where.ts'
import { eventColumns, eventFields, usualEventColumns } from '../../events/event-columns.ts'
import { eventTypes } from '../../events/event-types.ts'
import { pastMoment } from '../../options/moment.ts'
import { collect, type ListOptions, newListCommand } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'
import { columnsOf, findGivenView } from '../../views/views.ts'

interface Options extends ListOptions {
  type?: EventType[]
  device?: string[]
  since?: string
  until?: string
  where?: string[]
  view?: string
}

export function buildCommand(): Command {
  return newListCommand('list', { limit: 100 })
    .description('List stored events, newest first.')
    .option('--type <types>', 'event types, such as device.state,attribute.change; repeatable', eventTypes)
    .option('--device <device>', 'show events of this device (ID, hardware ID, or name); repeatable', collect)
    .option('--since <when>', 'show events since this time: a date, or a duration before now such as 12h', pastMoment)
    .option('--until <when>', 'show events before this time: a date, or a duration before now', pastMoment)
    .option(
      '--where <filter>',
      'list events that match a filter, such as "key = MK… AND changed:site"; repeatable',
      collect,
    )
    .option('--view <view>', 'list the events of a saved view; ID or name')
    .action(run)
}

async function run({ type, device = [], since, until, where = [], view, ...options }: Options): Promise<void> {
  const muster = await openMuster(options, 6)
  const given = await findGivenView(muster, view)
  const columns = chooseColumns(options.columns ?? columnsOf(given), { known: eventColumns, usual: usualEventColumns })
  const deviceId = await findDeviceIds(muster, device)
  const filter = joinFilters(where)
  const items = muster.pastEvents({
    ...(filter !== undefined && { where: filter }),
    ...(given !== undefined && { view: given.id }),
    ...(type && { types: type }),
    ...(deviceId.length > 0 && { deviceId }),
    ...(since !== undefined && { minDate: since }),
    ...(until !== undefined && { maxDate: until }),
    size: Math.min(1_000, options.limit + 1),
    select: eventFields,
  })
  await printList({ items, columns, options, empty: 'No events found.' })
}

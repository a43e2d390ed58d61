import type { EventType, Muster } from '@muster/client'
import type { Command } from 'commander'
import { findDeviceIds } from '../devices/find-device.ts'
import { joinFilters, whereOption } from '../devices/where.ts'
import { pastMoment } from '../options/moment.ts'
import { collect } from '../options/option-values.ts'
import type { ViewRow } from '../views/views.ts'
import { eventTypes } from './event-types.ts'

export interface EventFilterOptions {
  type?: EventType[]
  device?: string[]
  since?: string
  until?: string
  where?: string[]
  view?: string
  context?: string
}

const eventWhereHelp = `
Filters (quote them, because shells interpret many of these characters):
  type = DEVICE_DELETE        a field: id, type, timestamp, actor, key, source, job, state, context, changed, target.name, …
  source = console            from the console; other sources: accessKey, device, job, server, unknown
  actor = ada@example.com     caused by this user
  changed:site                changed an attribute whose name contains "site"
  device.site = oslo          an attribute or field of the event's device, with its current value
  pump                        a part of the target's name
Combine conditions with AND and OR, and use parentheses if you mix them. Several --where options must all match.
The guide "Views, counts, and events" has more examples.`

/** Adds the options that filter events. In the help of the options, `verb` is the command's action, such as `list`. */
export const withEventFilterOptions = (command: Command, verb: string): Command =>
  command
    .option('--type <types>', 'event types, such as device.state,attribute.change; repeatable', eventTypes)
    .option('--device <device>', `${verb} events of this device (ID, hardware ID, or name); repeatable`, collect)
    .option(
      '--since <when>',
      `${verb} events since this time: a date, or a duration before now, such as 12h`,
      pastMoment,
    )
    .option('--until <when>', `${verb} events before this time: a date, or a duration before now`, pastMoment)
    .addOption(whereOption(`${verb} events`, 'source = console AND changed:site'))
    .option('--view <view>', `${verb} events in this saved view (ID or name)`)
    .option('--context <name>', 'context in which the filter reads device attributes (default: the context of --view)')
    .addHelpText('after', eventWhereHelp)

/** Converts the options to the arguments of a query. `view` is the view that the options name, if any. */
export async function eventFilterArguments(
  muster: Muster,
  { type, device = [], since, until, where = [], context }: EventFilterOptions,
  view: ViewRow | undefined,
) {
  const deviceId = await findDeviceIds(muster, device)
  return {
    types: type,
    deviceId: deviceId.length > 0 ? deviceId : undefined,
    minDate: since,
    maxDate: until,
    where: joinFilters(where),
    view: view?.id,
    context,
  }
}

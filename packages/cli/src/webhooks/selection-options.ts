import type { Muster } from '@muster/client'
import type { Command } from 'commander'
import { joinFilters, whereHelp } from '../devices/where.ts'
import { collect } from '../options/option-values.ts'
import { findGivenView } from '../views/views.ts'

export interface SelectionOptions {
  where?: string[]
  view?: string
  context?: string
}

export const withSelectionOptions = (command: Command): Command =>
  command
    .option(
      '--where <filter>',
      'select events of devices that matched this filter immediately before or after the event; if repeated, all filters must match',
      collect,
    )
    .option(
      '--view <view>',
      'select events of devices that were in this view (ID or name) immediately before or after the event',
    )
    .option('--context <name>', 'context in which --where and --view read attributes (default: the context of --view)')
    .addHelpText('after', whereHelp)

/** An empty value becomes null, which removes the setting from the webhook. */
export async function selectionArguments(muster: Muster, { where, view, context }: SelectionOptions) {
  return {
    where: where?.join('') === '' ? null : joinFilters(where ?? []),
    view: view === '' ? null : (await findGivenView(muster, view))?.id,
    context: context === '' ? null : context,
  }
}

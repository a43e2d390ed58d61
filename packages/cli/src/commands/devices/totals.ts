import type { Command } from 'commander'
import { joinFilters, whereHelp, whereOption } from '../../devices/where.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { printJson, printPairs } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'
import { findGivenView } from '../../views/views.ts'

interface Options extends ClientOptions {
  where?: string[]
  view?: string
  context?: string
}

export function buildCommand(): Command {
  return newClientCommand('totals')
    .description(
      'Count devices: the total, the devices in each state, the devices that have never reported, and the devices with a stale value. Without --where or --view, count all devices.',
    )
    .addOption(whereOption('count devices', 'site = oslo'))
    .option('--view <view>', 'count the devices of a saved view (ID or name)')
    .option('--context <name>', 'context in which the command reads attributes (default: the context of --view)')
    .addHelpText('after', whereHelp)
    .action(run)
}

async function run({ where = [], view: viewName, context, ...options }: Options): Promise<void> {
  const muster = await openMuster(options, 6)
  const filter = joinFilters(where)
  const view = await findGivenView(muster, viewName)
  const { login } = await muster.select({
    login: {
      deviceTotals: {
        $: { where: filter, view: view?.id, context },
        ...{ total: true, active: true, inactive: true, neverReported: true, stale: true },
      },
    },
  })
  const totals = login!.deviceTotals
  await (options.json
    ? printJson(totals)
    : printPairs(Object.entries(totals).map(([name, count]) => [name, String(count)])))
}

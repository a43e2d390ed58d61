import type { Command } from 'commander'
import { type DeviceRow, deviceColumns, usualDeviceColumns } from '../../devices/device-columns.ts'
import { deviceColumn, selectDeviceFields } from '../../devices/named-columns.ts'
import { assertKnownNames, joinFilters, quote, whereHelp, whereOption } from '../../devices/where.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { namesWithCommas } from '../../options/option-values.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'
import { pageSizeFor } from '../../server/pages.ts'
import { serviceFields } from '../../services/service-columns.ts'
import { columnsOf, findGivenView, sortKeysOf } from '../../views/views.ts'

interface Options extends ListOptions {
  where?: string[]
  view?: string
  sort?: string[]
  context?: string
}

export function buildCommand(): Command {
  return newListCommand('list', { limit: Number.POSITIVE_INFINITY })
    .description(`List devices. The default columns are id, name, state, platform, and lastReported. --columns also
accepts other fields, fields of services such as services.port, and attribute names. --json prints all columns,
attributes, and services.`)
    .argument('[word]', 'part of the name or hardware ID (case-insensitive), or beginning of the ID')
    .addOption(whereOption('list devices'))
    .option('--view <view>', 'list the devices of a saved view (ID or name), with its order and columns')
    .option(
      '--sort <keys>',
      'up to 4 comma-separated fields or attributes; for descending order, add the prefix -, as in -created (default: the order of --view, else name)',
      namesWithCommas,
    )
    .option('--context <name>', 'context in which the command reads attributes (default: the context of --view)')
    .addHelpText('after', whereHelp)
    .action(run)
}

async function run(word: string | undefined, options: Options): Promise<void> {
  const muster = await openMuster(options, 6)
  const view = await findGivenView(muster, options.view)
  const columns = chooseColumns(options.columns ?? columnsOf(view, 'DEVICES'), {
    known: deviceColumns,
    usual: usualDeviceColumns,
    other: deviceColumn,
  })
  const context = options.context ?? view?.context ?? undefined
  const sortBy = options.sort ?? sortKeysOf(view, 'DEVICES') ?? ['name']
  const otherNames = columns.filter((column) => !deviceColumns.includes(column)).map(({ name }) => name)
  if (options.columns !== undefined) await assertKnownNames(muster, { option: '--columns', names: otherNames })
  const where = joinFilters([...(word === undefined ? [] : [quote(word)]), ...(options.where ?? [])])
  const select = {
    ...selectDeviceFields(options.json ? [] : otherNames, context),
    ...(options.json ? { attributes: { $: { context } }, services: serviceFields } : {}),
  }
  // The casts are valid, because the selection contains at least the required fields of a DeviceRow.
  const items = muster.devices({
    where,
    view: view?.id,
    context,
    sortBy,
    size: pageSizeFor(options.limit),
    select: select as { id: true },
  }) as unknown as AsyncIterable<DeviceRow>
  const empty =
    where !== undefined || view !== undefined
      ? 'No device matches.'
      : 'No devices found. To register one, run "muster devices register NAME" or "muster codes create".'
  await printList({ items, columns, options, empty })
}

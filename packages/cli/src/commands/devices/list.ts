import type { Command } from 'commander'
import {
  attributeColumn,
  deviceColumns,
  rowFields,
  serviceFields,
  usualDeviceColumns,
} from '../../devices/device-columns.ts'
import { matching } from '../../devices/matching.ts'
import { readWhere, whereHelp } from '../../devices/where.ts'
import { collect, type ListOptions, newListCommand, prose } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ListOptions {
  where?: string[]
  sort: string
  context?: string
}

export function buildCommand(): Command {
  return newListCommand('list', { limit: Number.POSITIVE_INFINITY })
    .description(
      prose(`List devices. The columns are id, name, state, stateSince, platform, hardwareId, created, lastReported, and
attribute names. --json prints all columns and the services.`),
    )
    .argument('[part]', 'part of the name, case-insensitive; short for --where name~PART')
    .option('--where <condition>', 'list devices that match a condition, such as state=active; repeatable', collect)
    .option('--sort <order>', 'field or attribute; for descending order, add the prefix -, as in -created', 'name asc')
    .option('--context <name>', 'use effective attributes in this context')
    .addHelpText('after', whereHelp)
    .action(run)
}

async function run(part: string | undefined, options: Options): Promise<void> {
  const columns = chooseColumns(options.columns, {
    known: deviceColumns,
    usual: usualDeviceColumns,
    other: attributeColumn,
  })
  const muster = await openMuster(options, 6)
  const conditions = [...(part === undefined ? [] : [`name~${part}`]), ...(options.where ?? [])]
  const where = await readWhere(muster, conditions, options.context)
  const attributes = options.context === undefined ? true : ({ $: { context: options.context } } as const)
  const wanted = {
    ...rowFields,
    ...(options.json || columns.some((column) => !deviceColumns.includes(column)) ? { attributes } : {}),
    ...(options.json ? { services: serviceFields } : {}),
  }
  const items = matching(muster, where, { select: wanted, sort: options.sort, limit: options.limit })
  const empty =
    conditions.length > 0
      ? 'No device matches.'
      : 'No devices yet. To register one, run "muster devices register NAME" or "muster codes create".'
  await printList({ items, columns, options, empty })
}

import { type Command, InvalidArgumentError, Option } from 'commander'
import { joinFilters, whereHelp, whereOption } from '../../devices/where.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { wholeNumber } from '../../options/option-values.ts'
import type { Column } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'
import { findGivenView } from '../../views/views.ts'

interface Options extends ClientOptions {
  where?: string[]
  view?: string
  context?: string
  size: number
  interval: (typeof intervals)[number]
}

const MAX_SIZE = 100

interface Row {
  value: string
  devices: number
  active: number
}

export function buildCommand(): Command {
  return newClientCommand('facets')
    .description(`Count the devices and the active devices with each value of the specified fields or attributes, most
frequent value first.

muster devices facets platform site --where "state = inactive"`)
    .argument('<name...>', 'fields, attributes, or fields of services, such as services.port; at most 8')
    .addOption(whereOption('count devices'))
    .option('--view <view>', 'count the devices of a saved view (ID or name)')
    .option('--context <name>', 'context in which the command reads attributes (default: the context of --view)')
    .option('--size <count>', 'maximum number of values for each name, 1 to 100', wholeNumber(1, MAX_SIZE), 20)
    .addOption(
      new Option('--interval <interval>', 'interval length for time fields: hour, day, week, or month')
        .argParser(readInterval)
        .default('DAY', 'day'),
    )
    .addHelpText('after', whereHelp)
    .action(run)
}

const intervals = ['HOUR', 'DAY', 'WEEK', 'MONTH'] as const

function readInterval(text: string): (typeof intervals)[number] {
  const interval = intervals.find((each) => each === text.toUpperCase())
  if (interval === undefined) throw new InvalidArgumentError('Expected hour, day, week, or month.')
  return interval
}

async function run(by: string[], options: Options): Promise<void> {
  const muster = await openMuster(options, 6)
  const { size, interval, context } = options
  const where = joinFilters(options.where ?? [])
  const view = await findGivenView(muster, options.view)
  const { login } = await muster.select({
    login: {
      facets: {
        $: { by, size, interval, where, view: view?.id, context },
        name: true,
        buckets: { value: true, count: true, active: true, where: true },
        missing: true,
        missingActive: true,
        other: true,
        otherActive: true,
        distinct: true,
        total: true,
      },
    },
  })
  const facets = login?.facets ?? []
  if (options.json) {
    for (const facet of facets) console.log(JSON.stringify(facet))
    return
  }
  for (const [index, facet] of facets.entries()) {
    if (index > 0) console.log('')
    const rows: Row[] = facet.buckets.map(({ value, count, active }) => ({ value, devices: count, active }))
    if (facet.other > 0) rows.push({ value: '(other values)', devices: facet.other, active: facet.otherActive })
    if (facet.missing > 0) rows.push({ value: '(no value)', devices: facet.missing, active: facet.missingActive })
    const columns: Column<Row>[] = [
      { name: facet.name, value: ({ value }) => value },
      { name: 'devices', value: ({ devices }) => devices },
      { name: 'active', value: ({ active }) => active },
    ]
    await printList({ items: rows, columns, options: {}, empty: 'No device matches.' })
  }
  if (size < MAX_SIZE && facets.some(({ other }) => other > 0))
    console.error(`There are more values. To show up to ${MAX_SIZE} values, pass --size ${MAX_SIZE}.`)
}

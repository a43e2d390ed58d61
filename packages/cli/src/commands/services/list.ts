import type { Muster } from '@muster/client'
import type { Command } from 'commander'
import { findDeviceIds } from '../../devices/find-device.ts'
import { selectServiceFields, serviceColumn } from '../../devices/named-columns.ts'
import { assertKnownNames, findType, joinFilters, quote, whereHelp, whereOption } from '../../devices/where.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { collect, namesWithCommas } from '../../options/option-values.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'
import { itemsOfPages, pageSizeFor } from '../../server/pages.ts'
import { type ServiceRow, serviceColumns } from '../../services/service-columns.ts'
import { columnsOf, findGivenView } from '../../views/views.ts'

interface Options extends ListOptions {
  name?: string
  state?: string
  type?: string[]
  where?: string[]
  view?: string
  sort?: string[]
  context?: string
}

const usual = ['id', 'name', 'device', 'type', 'host', 'port', 'enabled', 'state']

export function buildCommand(): Command {
  return newListCommand('list', { limit: Number.POSITIVE_INFINITY })
    .description(`List the services of the specified devices or, without arguments, of all devices. The default columns
are id, name, device, type, host, port, enabled, and state. --columns also accepts deviceId, other fields,
fields and attributes of the device such as device.platform, and names of service attributes.`)
    .argument('[device...]', 'IDs, hardware IDs, or names')
    .option('--name <part>', 'part of the service name (case-insensitive)')
    .option('--state <state>', 'service state: active or inactive')
    .option('--type <type>', 'service type by name or ID, as shown by "muster services types"; repeatable', collect)
    .addOption(whereOption('list services', 'port = 22'))
    .option('--view <view>', 'list the services of a saved view (ID or name), with its order and columns')
    .option(
      '--sort <keys>',
      'up to 4 comma-separated fields or attributes; for descending order, add the prefix -, as in port,-device.name (default: the order of --view, else device.name,name)',
      namesWithCommas,
    )
    .option('--context <name>', 'context in which the command reads attributes (default: the context of --view)')
    .addHelpText('after', whereHelp)
    .action(run)
}

async function run(
  namesOrIds: string[],
  { name, state, type = [], where = [], view: viewName, sort, context, ...options }: Options,
): Promise<void> {
  const muster = await openMuster(options, 6)
  const view = await findGivenView(muster, viewName)
  const columns = chooseColumns(options.columns ?? columnsOf(view, 'SERVICES'), {
    known: serviceColumns,
    usual,
    other: serviceColumn,
  })
  const otherNames = columns.filter((column) => !serviceColumns.includes(column)).map((column) => column.name)
  if (options.columns !== undefined)
    await assertKnownNames(muster, { option: '--columns', names: otherNames, kind: 'SERVICES' })
  const devices = await findDeviceIds(muster, namesOrIds)
  const types = await Promise.all(type.map((one) => findType(muster, one)))
  const filter = joinFilters([
    ...where,
    ...(devices.length > 0 ? [`device.id = (${devices.join(' OR ')})`] : []),
    ...(types.length > 0 ? [`application = (${types.join(' OR ')})`] : []),
    ...(name === undefined ? [] : [`name:${quote(name)}`]),
    ...(state === undefined ? [] : [`state = ${quote(state)}`]),
  ])
  const items = servicesOf(muster, {
    where: filter,
    view: view?.id,
    sortBy: sort,
    context: context ?? view?.context ?? undefined,
    names: otherNames,
    limit: options.limit,
  })
  await printList({ items, columns, options, empty: 'No services found.' })
}

interface ServiceQuery {
  where: string | undefined
  view: string | undefined
  sortBy: string[] | undefined
  context: string | undefined
  /** Names of columns in addition to those of `serviceColumns`. */
  names: readonly string[]
  limit: number
}

const servicesOf = (muster: Muster, { names, limit, ...filter }: ServiceQuery): AsyncGenerator<ServiceRow> =>
  itemsOfPages(async (after) => {
    const { login } = await muster.select({
      login: {
        services: {
          $: { ...filter, size: pageSizeFor(limit), after },
          items: selectServiceFields(names, filter.context),
          hasMore: true,
          cursor: true,
        },
      },
    })
    return login?.services
  })

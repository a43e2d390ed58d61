import type { Muster } from '@muster/client'
import type { Command } from 'commander'
import { serviceFields } from '../../devices/device-columns.ts'
import { findDeviceIds } from '../../devices/find-device.ts'
import { findType, joinFilters, quote, whereHelp } from '../../devices/where.ts'
import { collect, type ListOptions, namesWithCommas, newListCommand } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'
import { type ServiceRow, serviceColumns } from '../../services/service-columns.ts'
import { viewIdOf } from '../../views/views.ts'

interface Options extends ListOptions {
  name?: string
  state?: string
  type?: string[]
  where?: string[]
  view?: string
  sort?: string[]
}

const usual = ['id', 'name', 'device', 'type', 'host', 'port', 'enabled', 'state']

export function buildCommand(): Command {
  return newListCommand('list', { limit: Number.POSITIVE_INFINITY })
    .description('List the services of the specified devices or, without arguments, of all devices.')
    .argument('[device...]', 'IDs, hardware IDs, or names')
    .option('--name <part>', 'part of the service name, case-insensitive')
    .option('--state <state>', 'service state: active or inactive')
    .option('--type <type>', 'service type by name or ID, as shown by "muster services types"; repeatable', collect)
    .option('--where <filter>', 'list services that match a filter, such as "port = 22"; repeatable', collect)
    .option('--view <view>', 'list the services of a saved view; ID or name')
    .option(
      '--sort <keys>',
      'up to 4 comma-separated keys, such as port,-device.name (default: device.name,name)',
      namesWithCommas,
    )
    .addHelpText('after', whereHelp)
    .action(run)
}

async function run(
  meant: string[],
  { name, state, type = [], where = [], view, sort, ...options }: Options,
): Promise<void> {
  const columns = chooseColumns(options.columns, { known: serviceColumns, usual })
  const muster = await openMuster(options, 6)
  const devices = await findDeviceIds(muster, meant)
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
    view: await viewIdOf(muster, view),
    sortBy: sort,
    limit: options.limit,
  })
  await printList({ items, columns, options, empty: 'No services found.' })
}

const MAX_PAGE_SIZE = 1_000

interface ServiceQuery {
  where: string | undefined
  view: string | undefined
  sortBy: string[] | undefined
  limit: number
}

/** Yields the services that match. */
async function* servicesOf(muster: Muster, query: ServiceQuery): AsyncGenerator<ServiceRow> {
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(muster, query, after)
    if (page === undefined) return
    yield* page.items
    after = page.hasMore ? page.cursor : null
  } while (after !== null)
}

async function readPage(muster: Muster, { where, view, sortBy, limit }: ServiceQuery, after: string | null) {
  const { login } = await muster.select({
    login: {
      services: {
        $: {
          size: Math.min(MAX_PAGE_SIZE, limit + 1),
          ...(where !== undefined && { where }),
          ...(view !== undefined && { view }),
          ...(sortBy !== undefined && { sortBy }),
          ...(after !== null && { after }),
        },
        items: { ...serviceFields, device: { id: true, name: true } },
        hasMore: true,
        cursor: true,
      },
    },
  })
  return login?.services
}

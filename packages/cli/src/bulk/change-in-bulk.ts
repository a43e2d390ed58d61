import type { Mutations } from '@muster/client'
import type { toInput } from '../attributes/assignments.ts'
import { findDeviceIds } from '../devices/find-device.ts'
import { joinFilters } from '../devices/where.ts'
import { usageError } from '../errors/cli-error.ts'
import { openMuster } from '../server/open-muster.ts'
import { findGivenView } from '../views/views.ts'
import { type AttributeOptions, type BulkOptions, jobArguments } from './bulk-options.ts'
import { startPreviewed } from './start-previewed.ts'
import { createCsvJob, readCsvParts } from './upload-csv-parts.ts'

type Operations = Parameters<Mutations['createBulk']>[0]['operations']

export async function changeInBulk(operations: Operations, what: string, options: BulkOptions): Promise<void> {
  const { where = [], view: viewName, device = [], context, csv } = options
  const filter = joinFilters(where)
  const hasFilter = filter !== undefined || viewName !== undefined
  const selections = [hasFilter, device.length > 0, csv !== undefined].filter(Boolean).length
  if (selections > 1)
    throw usageError('--device and --csv cannot be combined with each other, or with --where or --view')
  if (selections === 0)
    throw usageError(
      'no devices selected',
      'Pass --where, --view, --device, or --csv. To select all devices, pass --where "id:*".',
    )
  const parts = csv === undefined ? undefined : await readCsvParts(csv)
  const muster = await openMuster(options, 6)
  const view = await findGivenView(muster, viewName)
  const input = { operations, ...jobArguments(options) }
  const target =
    device.length > 0
      ? { ids: [...new Set(await findDeviceIds(muster, device))] }
      : { where: filter, view: view?.id, context }
  const { id } = await (parts === undefined
    ? muster.mutations.createBulk({ ...input, target })
    : createCsvJob(muster, parts, input))
  await startPreviewed(muster, id, what, options)
}

export async function changeAttributesInBulk(
  attributes: ReturnType<typeof toInput>,
  what: string,
  { services, ...options }: AttributeOptions,
): Promise<void> {
  const setAttributes = { attributes, context: options.context, services }
  await changeInBulk([{ setAttributes }], `${what} of${services === undefined ? '' : ' the services of'}`, options)
}

import type { Mutations } from '@muster/client'
import type { Command } from 'commander'
import type { toInput } from '../attributes/assignments.ts'
import { findDeviceIds } from '../devices/find-device.ts'
import { joinFilters, whereHelp } from '../devices/where.ts'
import { usageError } from '../errors/cli-error.ts'
import { collect, wholeNumber } from '../options/option-values.ts'
import { openMuster } from '../server/open-muster.ts'
import { findGivenView } from '../views/views.ts'
import { createCsvJob, readCsvParts } from './upload-csv-parts.ts'
import { type StartOptions, startPreviewed, withStartOptions } from './start-previewed.ts'

export interface JobOptions extends StartOptions {
  name?: string
  rate?: number
  maxFailures?: number
}

export interface BulkOptions extends JobOptions {
  where?: string[]
  view?: string
  context?: string
  device?: string[]
  csv?: string
}

export const withBulkOptions = (command: Command, verb: 'change' | 'delete' = 'change'): Command =>
  withJobOptions(
    command
      .option(
        '--where <filter>',
        `${verb} devices that match a filter; repeatable; for all devices, pass "id:*"`,
        collect,
      )
      .option('--view <view>', `${verb} the devices of a saved view (ID or name)`)
      .option('--device <device>', `${verb} this device (ID, hardware ID, or name); repeatable`, collect)
      .option(
        '--csv <file>',
        verb === 'delete'
          ? 'delete the devices that the rows of a CSV file identify by id, hardwareId, or name; - for standard input'
          : 'change the devices that the rows of a CSV file identify by id, hardwareId, or name, and set the values in the other columns; - for standard input',
      ),
  ).addHelpText('after', whereHelp)

export const withJobOptions = (command: Command): Command =>
  withStartOptions(
    withRate(command.option('--name <name>', 'name of the job')).option(
      '--max-failures <count>',
      'pause the job when more than this many devices have failed (default: the greater of 100 and 10% of the completed devices)',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    ),
  )

export const withRate = (command: Command): Command =>
  command.option(
    '--rate <count>',
    'maximum number of devices per second, 1 to 10,000 (default: 200)',
    wholeNumber(1, 10_000),
  )

export const jobArguments = ({ name, rate, maxFailures }: JobOptions) => ({
  ...(name !== undefined && { name }),
  ...(rate !== undefined && { rate }),
  ...(maxFailures !== undefined && { maxFailures }),
})

export interface AttributeOptions extends BulkOptions {
  services?: string
}

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
      : {
          ...(filter !== undefined && { where: filter }),
          ...(view !== undefined && { view: view.id }),
          ...(context !== undefined && { context }),
        }
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
  const { context } = options
  const setAttributes = {
    attributes,
    ...(context !== undefined && { context }),
    ...(services !== undefined && { services }),
  }
  await changeInBulk([{ setAttributes }], `${what} of${services === undefined ? '' : ' the services of'}`, options)
}

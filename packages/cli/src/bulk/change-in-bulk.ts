import type { Muster, Mutations } from '@muster/client'
import type { Command } from 'commander'
import type { toInput } from '../attributes/assignments.ts'
import { findDeviceIds } from '../devices/find-device.ts'
import { joinFilters, whereHelp } from '../devices/where.ts'
import { usageError } from '../errors/cli-error.ts'
import { type ClientOptions, collect, wholeNumber } from '../options/new-command.ts'
import { counted } from '../output/counted.ts'
import { printJson, printOne, say } from '../output/print-one.ts'
import { openMuster } from '../server/open-muster.ts'
import { confirm } from '../terminal/confirm.ts'
import { findGivenView } from '../views/views.ts'
import { assertComplete, jobColumns, readJob, waitForJob } from './bulk-jobs.ts'

/** Options of every command that changes devices with a bulk job. */
export interface BulkOptions extends ClientOptions {
  where?: string[]
  view?: string
  context?: string
  device?: string[]
  name?: string
  rate?: number
  maxFailures?: number
  dryRun?: boolean
  detach?: boolean
  yes?: boolean
}

export const withBulkOptions = (command: Command): Command =>
  withJobOptions(
    command
      .option(
        '--where <filter>',
        'change devices that match a filter; repeatable; for all devices, pass "id:*"',
        collect,
      )
      .option('--view <view>', 'change the devices of a saved view; ID or name')
      .option('--device <device>', 'change this device (ID, hardware ID, or name); repeatable', collect),
  ).addHelpText('after', whereHelp)

/** The options of every command that creates a job and starts it. */
export const withJobOptions = (command: Command): Command =>
  command
    .option('--name <name>', 'name of the job')
    .option('--rate <count>', 'maximum number of devices per second', wholeNumber(1, 10_000))
    .option('--max-failures <count>', 'pause after more failures than this', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option('--dry-run', 'only show the preview, and cancel the job')
    .option('--detach', 'start the job and do not wait for its end')
    .option('-y, --yes', 'skip the confirmation prompt')

/** Options of the commands that change attributes. */
export interface AttributeOptions extends BulkOptions {
  services?: string
}

type Operations = Parameters<Mutations['createBulk']>[0]['operations']

/** Previews a change, asks for confirmation, starts it, and waits for its end. */
export async function changeInBulk(operations: Operations, what: string, options: BulkOptions): Promise<void> {
  const { where = [], view: viewName, device = [], context, name, rate, maxFailures } = options
  const muster = await openMuster(options, 6)
  const view = await findGivenView(muster, viewName)
  const filter = joinFilters(where)
  const hasFilter = filter !== undefined || view !== undefined
  if (hasFilter && device.length > 0) throw usageError('--device cannot be combined with --where or --view')
  if (!hasFilter && device.length === 0)
    throw usageError(
      'no devices to change',
      'Pass --where, --view, or --device. To select all devices, pass --where "id:*".',
    )
  const target =
    device.length > 0
      ? { ids: [...new Set(await findDeviceIds(muster, device))] }
      : {
          ...(filter !== undefined && { where: filter }),
          ...(view !== undefined && { view: view.id }),
          ...(context !== undefined && { context }),
        }
  const input = {
    target,
    operations,
    ...(name !== undefined && { name }),
    ...(rate !== undefined && { rate }),
    ...(maxFailures !== undefined && { maxFailures }),
  }
  const { id } = await muster.mutations.createBulk(input)
  await startPreviewed(muster, id, what, options)
}

/** Shows the preview of a job and asks for confirmation. Then starts the job and waits for its end, or cancels it. */
export async function startPreviewed(
  muster: Muster,
  id: string,
  what: string,
  { dryRun, detach, yes, json }: Pick<BulkOptions, 'dryRun' | 'detach' | 'yes' | 'json'>,
): Promise<void> {
  const job = await waitForJob(muster, id, { states: ['READY'] })
  if (job.state !== 'READY') return assertComplete(job)
  const { change, register, rejected, unchanged } = job.counts
  if (dryRun) {
    await (json ? printJson(job) : printOne(job, jobColumns))
    await muster.mutations.cancelBulk({ id })
    return
  }
  if (change + register > 0) {
    const changes = change > 0 || register === 0 ? [`${what} ${counted(change, 'device')}`] : []
    const parts = register > 0 ? [`Register ${counted(register, 'device')}`, ...changes] : changes
    const question = `${parts.join('; ')} (${unchanged} unchanged, ${rejected} rejected)`
    await confirm(question, { yes }).catch(async (error: unknown) => {
      await muster.mutations.cancelBulk({ id })
      throw error
    })
  }
  await muster.mutations.startBulk({ id, token: job.token!, expected: change + register })
  const last = detach ? await readJob(muster, id) : await waitForJob(muster, id)
  if (json) await printJson(last)
  else
    await say(
      `${last.state}: ${last.counts.done} done, ${last.counts.failed} failed, ${last.counts.skipped} skipped (${id})`,
    )
  if (!detach) assertComplete(last)
}

/** Changes the attributes of devices or of their services. `what` names the change, such as `Set site`. */
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

import type { Command } from 'commander'
import { serviceFields } from '../../devices/device-columns.ts'
import { findDeviceIds } from '../../devices/find-device.ts'
import { findType } from '../../devices/where.ts'
import { collect, type ListOptions, newListCommand } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'
import { serviceColumns } from '../../services/service-columns.ts'

interface Options extends ListOptions {
  name?: string
  state?: string
  type?: string[]
}

const usual = ['id', 'name', 'device', 'type', 'host', 'port', 'enabled', 'state']

export function buildCommand(): Command {
  return newListCommand('list', { limit: Number.POSITIVE_INFINITY })
    .description('List the services of the specified devices or, without arguments, of all devices.')
    .argument('[device...]', 'IDs, hardware IDs, or names')
    .option('--name <part>', 'part of the service name, case-insensitive')
    .option('--state <state>', 'service state: active or inactive')
    .option('--type <type>', 'service type by name or ID, as shown by "muster services types"; repeatable', collect)
    .action(run)
}

async function run(meant: string[], { name, state, type = [], ...options }: Options): Promise<void> {
  const columns = chooseColumns(options.columns, { known: serviceColumns, usual })
  const muster = await openMuster(options, 6)
  const deviceId = await findDeviceIds(muster, meant)
  const application = await Promise.all(type.map((one) => findType(muster, one)))
  const items = muster.services({
    ...(deviceId.length > 0 && { deviceId }),
    ...(application.length > 0 && { application }),
    ...(name !== undefined && { name }),
    ...(state !== undefined && { state }),
    select: { ...serviceFields, device: { id: true, name: true } },
  })
  await printList({ items, columns, options, empty: 'No services found.' })
}

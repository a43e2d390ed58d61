import type { Command } from 'commander'
import { flatten } from '../../attributes/dotted-attributes.ts'
import { deviceColumns, rowFields } from '../../devices/device-columns.ts'
import { findDeviceId } from '../../devices/find-device.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { printJson, printOne, printPairs, printRows, say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'
import { serviceColumns, serviceFields } from '../../services/service-columns.ts'

interface Options extends ClientOptions {
  context?: string
}

export function buildCommand(): Command {
  return newClientCommand('get')
    .argument('<device>', 'ID, hardware ID, or name')
    .option('--context <name>', 'show effective attribute values in this context')
    .action(run)
}

const serviceColumnsOfDevice = ['id', 'name', 'type', 'host', 'port', 'protocol', 'enabled', 'state']

async function run(nameOrId: string, { context, ...options }: Options): Promise<void> {
  const muster = await openMuster(options, 4)
  const device = await muster.getDevice(await findDeviceId(muster, nameOrId), {
    select: {
      ...rowFields,
      contexts: true,
      attributes: { $: { context } },
      services: serviceFields,
    },
  })
  if (options.json) return printJson(device)
  const contexts = { name: 'contexts', value: () => device.contexts.join(', ') || null }
  await printOne(device, [...deviceColumns, contexts])
  if (device.services.length > 0) {
    await say('\nServices')
    await printRows(
      device.services,
      serviceColumns.filter(({ name }) => serviceColumnsOfDevice.includes(name)),
    )
  }
  const attributes = flatten(device.attributes)
  if (attributes.length === 0) return
  await say(context === undefined ? '\nAttributes' : `\nAttributes in ${context}`)
  await printPairs(attributes)
}

import type { Command } from 'commander'
import { findDeviceId } from '../../devices/find-device.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { printJson, say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'

export function buildCommand(): Command {
  return newClientCommand('rename')
    .argument('<device>', 'ID, hardware ID, or current name')
    .argument('<name>', 'new name')
    .action(run)
}

async function run(nameOrId: string, wanted: string, options: ClientOptions): Promise<void> {
  const muster = await openMuster(options, 4)
  const { id, name } = await muster.mutations.updateDevice({
    deviceId: await findDeviceId(muster, nameOrId),
    name: wanted,
  })
  if (options.json) return printJson({ id, name })
  await say(`Renamed ${id} to ${name}`)
}

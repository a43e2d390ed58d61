import type { Command } from 'commander'
import { findDeviceIds } from '../../devices/find-device.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { printJson, say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'
import { confirm } from '../../terminal/confirm.ts'

interface Options extends ClientOptions {
  force?: boolean
  yes?: boolean
}

export function buildCommand(): Command {
  return newClientCommand('delete')
    .description(`Delete devices with their services and attributes. The command deletes either all of the devices or
none of them. Without --force, it deletes nothing if any of the devices is active.`)
    .argument('<device...>', 'IDs, hardware IDs, or names; at most 1,000')
    .option('--force', 'also delete active devices')
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

async function run(namesOrIds: string[], { force = false, yes, ...options }: Options): Promise<void> {
  const muster = await openMuster(options, 4)
  const ids = [...new Set(await findDeviceIds(muster, namesOrIds))]
  await confirm(`Delete ${ids.length === 1 ? `the device ${namesOrIds[0]}` : `${ids.length} devices`}`, { yes })
  await muster.mutations.deleteDevices({ deviceId: ids, force })
  if (options.json) return printJson({ deleted: ids })
  for (const id of ids) await say(`Deleted ${id}`)
}

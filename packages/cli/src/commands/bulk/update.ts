import type { Command } from 'commander'
import { type BulkOptions, withBulkOptions } from '../../bulk/bulk-options.ts'
import { changeInBulk } from '../../bulk/change-in-bulk.ts'
import { usageError } from '../../errors/cli-error.ts'
import { nullIfRemoved } from '../../options/changes.ts'
import { newClientCommand } from '../../options/new-command.ts'

interface Options extends BulkOptions {
  rename?: string
  /** False if the user passes --no-platform, which clears the platform. */
  platform?: string | false
  hardwareId?: string | false
}

export function buildCommand(): Command {
  const command = newClientCommand('update')
    .description(`Change the name, platform, or hardware ID of many devices with a job on the server. In a value, the
server replaces {name}, {id}, {hardwareId}, {platform}, and any attribute name in braces with the device's value.

muster bulk update --rename "{site}-{name}" --where "site:*"

muster bulk update --csv fleet.csv`)
    .option('--rename <name>', 'new name')
    .option('--platform <platform>', 'new platform')
    .option('--no-platform', 'clear the platform')
    .option('--hardware-id <id>', 'new hardware ID')
    .option('--no-hardware-id', 'clear the hardware ID')
    .option('--context <name>', 'context in which --where and --view read attributes (default: the context of --view)')
  return withBulkOptions(command).action(run)
}

async function run({ rename, platform, hardwareId, ...options }: Options): Promise<void> {
  const update = {
    name: rename,
    platform: nullIfRemoved(platform),
    hardwareId: nullIfRemoved(hardwareId),
  }
  const isEmpty = Object.values(update).every((value) => value === undefined)
  if (isEmpty && options.csv === undefined)
    throw usageError(
      'nothing to change',
      'Pass --rename, --platform, --no-platform, --hardware-id, --no-hardware-id, or --csv.',
    )
  await changeInBulk(isEmpty ? [] : [{ update }], 'Update', options)
}

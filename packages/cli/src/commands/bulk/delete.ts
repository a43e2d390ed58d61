import type { Command } from 'commander'
import { type BulkOptions, withBulkOptions } from '../../bulk/bulk-options.ts'
import { changeInBulk } from '../../bulk/change-in-bulk.ts'
import { newClientCommand } from '../../options/new-command.ts'

interface Options extends BulkOptions {
  force?: boolean
}

export function buildCommand(): Command {
  const command = newClientCommand('delete')
    .description(`Delete many devices with a job on the server. You cannot undo this job.

muster bulk delete --where "site = closed"`)
    .option('--force', 'also delete active devices')
    .option('--context <name>', 'context in which --where and --view read attributes (default: the context of --view)')
  return withBulkOptions(command, 'delete').action(run)
}

const run = ({ force = false, ...options }: Options): Promise<void> =>
  changeInBulk([{ delete: { force } }], 'Delete', options)

import { type Command, Option } from 'commander'
import { findType } from '../../devices/where.ts'
import { assertChanges, nullIfRemoved } from '../../options/changes.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { wholeNumber } from '../../options/option-values.ts'
import { printJson, printOne } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'
import { serviceColumns } from '../../services/service-columns.ts'

interface Options extends ClientOptions {
  name?: string
  type?: string
  host?: string | false
  port?: number | false
  enable?: true
  disable?: true
}

export function buildCommand(): Command {
  return newClientCommand('update')
    .description('Change only the specified properties of a service.')
    .argument('<id>', 'service ID, as shown by "muster services list"')
    .option('--name <name>', 'new name')
    .option('--type <type>', 'service type by name or ID, as shown by "muster services types"')
    .option('--host <host>', 'host name or IP address at which the device reaches the service')
    .option('--no-host', 'remove the host; without a host, the device itself runs the service')
    .option('--port <port>', 'port, 1 to 65535', wholeNumber(1, 65_535))
    .option('--no-port', 'remove the port')
    .addOption(new Option('--enable', 'enable the service').conflicts('disable'))
    .option('--disable', 'disable the service')
    .action(run)
}

async function run(id: string, { name, type, host, port, enable, disable, ...options }: Options): Promise<void> {
  const muster = await openMuster(options, 4)
  const changes = {
    name,
    application: type === undefined ? undefined : await findType(muster, type),
    host: nullIfRemoved(host),
    port: nullIfRemoved(port),
    enabled: enable ?? (disable ? false : undefined),
  }
  assertChanges(changes)
  const service = await muster.mutations.updateService({ id, ...changes })
  if (options.json) return printJson(service)
  await printOne(
    service,
    serviceColumns.filter((column) => !column.name.startsWith('device')),
  )
}

import type { Command } from 'commander'
import { readAssignment, toChanges, toInput } from '../../attributes/assignments.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { collect } from '../../options/option-values.ts'
import { printJson, say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'
import { readServices } from '../../services/read-services.ts'

interface Options extends ClientOptions {
  hardwareId?: string
  platform?: string
  attribute?: string[]
  service?: string[]
}

export function buildCommand(): Command {
  return newClientCommand('register')
    .description(`Add a device with its attributes and services, and print the secret that the device uses to
authenticate. The secret is shown only once. For devices that register themselves, see "muster codes create".`)
    .argument('<name>', 'device name')
    .option('--hardware-id <id>', 'hardware ID, unique in your account')
    .option('--platform <name>', 'platform, such as "Debian 12"')
    .option('--attribute <name=value>', 'attribute; repeatable', collect)
    .option(
      '--service <entry>',
      'service in the form [!][name=]type[:host][:port] (! for disabled), such as ssh or web=http:8080; repeatable',
      collect,
    )
    .action(run)
}

async function run(
  name: string,
  { hardwareId, platform, attribute = [], service = [], ...options }: Options,
): Promise<void> {
  const attributes = toInput(toChanges(attribute.map(readAssignment)))
  const muster = await openMuster(options, 4)
  const services = await readServices(muster, service)
  const { device, secret } = await muster.mutations.registerDevice({
    name,
    hardwareId: hardwareId ?? null,
    platform: platform ?? null,
    attributes,
    services,
  })
  if (options.json) return printJson({ id: device.id, name: device.name, secret })
  await say(`Registered ${device.id}`)
  await say(`Secret: ${secret}`)
  console.error(
    'The secret is shown only once. Over MQTT, the client ID and the user name are the device ID, and the password is the secret.',
  )
}

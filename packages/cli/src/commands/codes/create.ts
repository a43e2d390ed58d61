import type { Command } from 'commander'
import { readAssignment, toChanges, toInput } from '../../attributes/assignments.ts'
import { futureMoment } from '../../moment.ts'
import { type ClientOptions, collect, newClientCommand, prose, wholeNumber } from '../../new-command.ts'
import { openMuster } from '../../open-muster.ts'
import { localTime } from '../../output/local-time.ts'
import { printJson, say } from '../../output/print-one.ts'
import { readServices, serviceHelp } from '../../services/read-services.ts'

interface Options extends ClientOptions {
  uses: number
  expires?: string
  name?: string
  platform?: string
  attribute?: string[]
  service?: string[]
}

export function createCommand(): Command {
  return newClientCommand('create', 'create a registration code')
    .description(
      prose(`Creates a code that devices register themselves with, and prints it: this once and never again. Every device that uses it gets its
attributes and services.`),
    )
    .option('--uses <count>', 'how many devices it may register', wholeNumber(1, 1_000_000), 1)
    .option('--expires <when>', 'a date, or a time from now such as 12h (default: 7d)', futureMoment)
    .option('--name <name>', 'what a device is called that gives no name of its own')
    .option('--platform <name>', 'the platform of devices that give none')
    .option('--attribute <name=value>', 'an attribute that devices get; may be given again', collect)
    .option('--service <entry>', 'a service that devices get; may be given again', collect)
    .addHelpText('after', serviceHelp)
    .action(run)
}

async function run({
  uses,
  expires,
  name,
  platform,
  attribute = [],
  service = [],
  ...options
}: Options): Promise<void> {
  const attributes = toInput(toChanges(attribute.map(readAssignment)))
  const muster = await openMuster(options, 4)
  const services = await readServices(muster, service)
  const given = { uses, expires, name, platform, attributes, services }
  const { code, registrationCode } = await muster.mutations.createRegistrationCode(given)
  if (options.json) return printJson({ ...registrationCode, code })
  const devices = uses === 1 ? 'one device' : `${uses} devices`
  await say(code)
  console.error(`The code is shown this once. It registers ${devices} until ${localTime(registrationCode.expires)}.`)
  console.error(`On a device: muster agent register --url ${muster.url} --code ${code}`)
}

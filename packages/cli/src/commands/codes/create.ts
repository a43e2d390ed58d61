import type { Command } from 'commander'
import { readAssignment, toChanges, toInput } from '../../attributes/assignments.ts'
import { futureMoment } from '../../options/moment.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { collect, wholeNumber } from '../../options/option-values.ts'
import { localTime } from '../../output/local-time.ts'
import { printJson, say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'
import { readServices, serviceHelp } from '../../services/read-services.ts'

interface Options extends ClientOptions {
  uses: number
  expires?: string
  name?: string
  platform?: string
  attribute?: string[]
  service?: string[]
}

export function buildCommand(): Command {
  return newClientCommand('create')
    .description(`Create a code that devices use to register themselves, and print the code. The code is shown only
once. Every new device that registers with the code receives the specified attributes and services.`)
    .option(
      '--uses <count>',
      'maximum number of new devices that can register with the code, 1 to 1,000,000',
      wholeNumber(1, 1_000_000),
      1,
    )
    .option('--expires <when>', 'expiry: a date, or a duration from now, such as 12h (default: 7d)', futureMoment)
    .option('--name <name>', 'default device name')
    .option('--platform <name>', 'default device platform')
    .option('--attribute <name=value>', 'device attribute; repeatable', collect)
    .option(
      '--service <entry>',
      'device service in the form [!][name=]type[:host][:port] (! for disabled), such as ssh or web=http:8080; repeatable',
      collect,
    )
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
  console.error(`The code is shown only once and can register ${devices} until ${localTime(registrationCode.expires)}.`)
  console.error(`To register a device, run on the device: muster agent register --url ${muster.url} --code ${code}`)
}

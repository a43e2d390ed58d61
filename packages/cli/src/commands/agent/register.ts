import type { Command } from 'commander'
import type { AgentOptions } from '../../agent/settings.ts'
import { newRegisteringCommand } from './new-agent-command.ts'

interface Options extends AgentOptions {
  hardwareId?: string
  new?: boolean
}

export function buildCommand(): Command {
  return newRegisteringCommand('register')
    .description(`Register this machine as a device, and store the device's ID and secret in a file that only the
agent's user can read. Unless you pass --new, a machine that is already registered with this server keeps its device ID
and receives a new secret. A running agent uses the new secret within seconds.`)
    .option(
      '--hardware-id <id>',
      'unique ID of this machine (default: the previous ID if it was passed or generated, unless you pass --new; else an ID derived from the machine ID or the product UUID; else a generated ID)',
    )
    .option('--new', 'register as a new device and forget the previous one')
    .action(run)
}

async function run(options: Options): Promise<void> {
  const [{ readSettings, required }, { registerMachine }] = await Promise.all([
    import('../../agent/settings.ts'),
    import('../../agent/registration/register-machine.ts'),
  ])
  const { config, folder, ...settings } = await readSettings(options)
  const { hardwareId, new: isNew = false } = options
  const url = required(
    settings.url,
    'no server URL is set',
    'Pass --url, or set MUSTER_URL or "url" in the configuration.',
  )
  const code = required(
    settings.code,
    'no registration code is set',
    'Pass --code or set MUSTER_CODE. Members with the permission DEVICE_CREATE, such as operators, can create a code with "muster codes create".',
  )
  const { device, again } = await registerMachine({ config, folder, url, code, hardwareId, isNew })
  const { secret: _secret, ...shown } = device
  if (options.json) return console.log(JSON.stringify({ ...shown, again, state: folder }))
  console.log(`${again ? 'Registered again' : 'Registered'} as device ${device.deviceId} at ${url}`)
  console.log(
    `The secret is in ${folder}. To start the agent, run "muster agent run" with the same --state and --config options.`,
  )
}

import type { Command } from 'commander'
import type { AgentOptions } from '../../agent/settings.ts'
import { prose } from '../../new-command.ts'
import { newRegisteringCommand } from './new-agent-command.ts'

interface Options extends AgentOptions {
  hardwareId?: string
  new?: boolean
}

export function registerCommand(): Command {
  return newRegisteringCommand('register', 'register this machine with a code')
    .description(
      prose(`Registers this machine as a device and keeps its id and secret in a file that only the agent's user may read. A machine that is
registered already keeps its id and gets a new secret. An agent that runs takes it up within seconds.`),
    )
    .option('--hardware-id <id>', 'what tells this machine from others (default: made from the machine id)')
    .option('--new', 'forget the device that this machine was')
    .action(run)
}

async function run(options: Options): Promise<void> {
  const [{ readSettings, needed }, { registerMachine }] = await Promise.all([
    import('../../agent/settings.ts'),
    import('../../agent/registration/register-machine.ts'),
  ])
  const { config, folder, ...settings } = await readSettings(options)
  const { hardwareId, new: isNew = false } = options
  const url = needed(settings.url, 'no server is named', 'Give --url, MUSTER_URL or "url" in the configuration.')
  const code = needed(
    settings.code,
    'there is no registration code',
    'Give --code or MUSTER_CODE; the owner of the devices makes one with "muster codes create".',
  )
  const { device, again } = await registerMachine({ config, folder, url, code, hardwareId, isNew })
  const { secret: _secret, ...shown } = device
  if (options.json) return console.log(JSON.stringify({ ...shown, again, state: folder }))
  console.log(`${again ? 'Registered again' : 'Registered'}: this machine is the device ${device.deviceId} at ${url}`)
  console.log(`Its secret is in ${folder}. Next: muster agent run, or muster agent install to have systemd do that.`)
}

import type { Command } from 'commander'
import type { AgentOptions } from '../../agent/settings.ts'
import { newCommand } from '../../options/new-command.ts'
import { withRegistration } from './new-agent-command.ts'

interface Options extends Pick<AgentOptions, 'json' | 'url' | 'code'> {
  print?: boolean
  root: string
}

export function buildCommand(): Command {
  return withRegistration(newCommand('install'))
    .description(`Write a systemd unit and, if no configuration exists, an initial configuration. Start the agent now
and at each boot. If this machine is not registered, the command first registers it with the code that you pass. Run the
command as root.`)
    .option('--print', 'print the unit without changing anything')
    .option(
      '--root <folder>',
      'root folder to write to; the command registers the machine and starts the agent only if the folder is /',
      '/',
    )
    .action(run)
}

async function run(options: Options): Promise<void> {
  const [{ assertCanStart, install }, { thesePrograms, unitText }] = await Promise.all([
    import('../../agent/install/install.ts'),
    import('../../agent/install/unit-text.ts'),
  ])
  if (options.print) return void process.stdout.write(await unitText(thesePrograms()))
  if (options.root === '/') await assertCanStart()
  const registered = options.root === '/' ? await registerIfNew(options) : []
  const done = [...registered, ...(await install({ root: options.root }))]
  if (options.json) console.log(JSON.stringify({ done }))
  else for (const each of done) console.log(each)
}

async function registerIfNew(options: Options): Promise<string[]> {
  const [{ required, readSettings }, { readDevice }, { SYSTEM_STATE }, { registerMachine }] = await Promise.all([
    import('../../agent/settings.ts'),
    import('../../agent/state/device-file.ts'),
    import('../../agent/state/state-folder.ts'),
    import('../../agent/registration/register-machine.ts'),
  ])
  const settings = await readSettings({ ...options, state: SYSTEM_STATE })
  const before = await readDevice(settings.folder)
  if (before !== undefined) return [`this machine is already registered as device ${before.deviceId}`]
  const hint =
    'Pass --url and --code, or set MUSTER_URL and MUSTER_CODE. Members with the permission DEVICE_CREATE, such as operators, can create a code with "muster codes create".'
  const url = required(settings.url, 'this machine is not registered, and no server URL is set', hint)
  const code = required(settings.code, 'this machine is not registered, and no registration code is set', hint)
  const { device } = await registerMachine({ ...settings, url, code })
  return [`registered this machine as device ${device.deviceId}`]
}

import type { Command } from 'commander'
import type { AgentOptions } from '../../agent/settings.ts'
import { newCommand, prose } from '../../new-command.ts'
import { withRegistration } from './new-agent-command.ts'

interface Options extends Pick<AgentOptions, 'json' | 'url' | 'code'> {
  print?: boolean
  root: string
}

export function installCommand(): Command {
  return withRegistration(newCommand('install', 'have systemd run the agent'))
    .description(
      prose(`Registers this machine, where a code is given and it is no device yet, writes a systemd unit and a configuration to begin
with, and starts the agent, now and whenever the machine starts. Takes root.`),
    )
    .option('--print', 'print the unit and change nothing')
    .option('--root <folder>', 'put the files under this folder, for an image; registers and starts nothing', '/')
    .action(run)
}

async function run(options: Options): Promise<void> {
  const [{ install }, { thesePrograms, unitText }] = await Promise.all([
    import('../../agent/install/install.ts'),
    import('../../agent/install/unit.ts'),
  ])
  if (options.print) return void process.stdout.write(await unitText(thesePrograms()))
  const registered = options.root === '/' ? await registerIfNew(options) : []
  const done = [...registered, ...(await install({ root: options.root }))]
  if (options.json) console.log(JSON.stringify({ done }))
  else for (const each of done) console.log(each)
}

async function registerIfNew(options: Options): Promise<string[]> {
  const [{ needed, readSettings }, { readDevice }, { SYSTEM_STATE }, { registerMachine }] = await Promise.all([
    import('../../agent/settings.ts'),
    import('../../agent/state/device-file.ts'),
    import('../../agent/state/state-folder.ts'),
    import('../../agent/registration/register-machine.ts'),
  ])
  const settings = await readSettings({ ...options, state: SYSTEM_STATE })
  const before = await readDevice(settings.folder)
  if (before !== undefined) return [`this machine is the device ${before.deviceId} already`]
  const hint = 'Give --url and --code, or MUSTER_URL and MUSTER_CODE.'
  const url = needed(settings.url, 'this machine is not registered, and no server is named', hint)
  const code = needed(settings.code, 'this machine is not registered, and there is no registration code', hint)
  const { device } = await registerMachine({ ...settings, url, code })
  return [`registered this machine as the device ${device.deviceId}`]
}

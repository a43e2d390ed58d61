import type { Command } from 'commander'
import { newCommand } from '../../options/new-command.ts'

interface Options {
  json?: boolean
  purge?: boolean
  root: string
}

export function buildCommand(): Command {
  return newCommand('uninstall')
    .description(`Stop the agent and remove its systemd unit. The device stays registered and becomes inactive. Unless
you pass --purge, its secret remains on this machine, and a later installation uses the same device. Run the command as
root.`)
    .option('--purge', "also remove the device's ID and secret, and the configuration")
    .option(
      '--root <folder>',
      'root folder that "muster agent install" wrote to; the command stops the agent only if the folder is /',
      '/',
    )
    .action(async (options: Options) => {
      const { uninstall } = await import('../../agent/install/install.ts')
      const done = await uninstall({ root: options.root }, { purge: options.purge === true })
      if (options.json) console.log(JSON.stringify({ done }))
      else
        for (const each of done.length === 0 ? ['Nothing to do: the agent is not installed.'] : done) console.log(each)
    })
}

import type { Command } from 'commander'
import { newCommand, prose } from '../../new-command.ts'

interface Options {
  json?: boolean
  purge?: boolean
  root: string
}

export function uninstallCommand(): Command {
  return newCommand('uninstall', 'take the systemd unit away')
    .description(
      prose(`Stops the agent and takes its systemd unit away. The device stays at the server, inactive, and its secret on this machine,
so that another install goes on as the same device. Takes root.`),
    )
    .option('--purge', "remove the device's secret and the configuration as well")
    .option('--root <folder>', 'where the files are, for an image', '/')
    .action(async (options: Options) => {
      const { uninstall } = await import('../../agent/install/install.ts')
      const done = await uninstall({ root: options.root }, { purge: options.purge === true })
      if (options.json) console.log(JSON.stringify({ done }))
      else
        for (const each of done.length === 0 ? ['Nothing to do: the agent is not installed.'] : done) console.log(each)
    })
}

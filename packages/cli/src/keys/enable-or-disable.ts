import { type ClientOptions, newClientCommand } from '../options/new-command.ts'
import { printJson, say } from '../output/print-result.ts'
import { openMuster } from '../server/open-muster.ts'

export function enableOrDisableCommand(name: string, enabled: boolean) {
  return newClientCommand(name)
    .argument('<key>', 'access key ID, as shown by "muster keys list"')
    .action(async (given: string, options: ClientOptions) => {
      const muster = await openMuster(options, 4)
      const key = await muster.mutations.updateAccessKey({ key: given, enabled })
      if (options.json) return printJson(key)
      await say(`${enabled ? 'Enabled' : 'Disabled'} ${key.key}`)
    })
}

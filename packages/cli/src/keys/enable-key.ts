import { type ClientOptions, newClientCommand } from '../new-command.ts'
import { openMuster } from '../open-muster.ts'
import { printJson, say } from '../output/print-one.ts'

/** `keys enable` and `keys disable`. */
export function switchingCommand(name: string, summary: string, enabled: boolean) {
  return newClientCommand(name, summary)
    .argument('<key>', 'its id: "muster keys list" shows it')
    .action(async (given: string, options: ClientOptions) => {
      const muster = await openMuster(options, 4)
      const key = await muster.mutations.updateAccessKey({ key: given, enabled })
      if (options.json) return printJson(key)
      await say(`${key.key} ${enabled ? 'works again' : 'works no more'}`)
    })
}

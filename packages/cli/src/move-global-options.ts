import { allCommands } from './commands/all-commands.ts'
import { globalOptions } from './options/global-options.ts'

/** Moves global options from before the command to after it, because each command parses its own options. */
export function moveGlobalOptions(args: readonly string[]): string[] {
  const known = globalOptions()
  const path: string[] = []
  const moved: string[] = []
  let at = 0
  for (let arg = args[0]; arg !== undefined; arg = args[at]) {
    const [name] = arg.split('=', 1)
    const option = known.find(({ long }) => long === name)
    if (option !== undefined) {
      const end = option.required && name === arg ? at + 2 : at + 1
      moved.push(...args.slice(at, end))
      at = end
    } else if (isCommand([...path, arg])) {
      path.push(arg)
      at++
    } else break
  }
  return [...path, ...moved, ...args.slice(at)]
}

function isCommand([name, verb, ...rest]: readonly string[]): boolean {
  const entry = allCommands.find((one) => one.name === name)
  if (entry === undefined || rest.length > 0) return false
  return verb === undefined || (entry.verbs?.some((one) => one.name === verb) ?? false)
}

import { type Command, Option } from 'commander'
import { findAttribute, flatten } from '../../attributes/dotted-attributes.ts'
import { findTarget, targetHelp } from '../../attributes/find-target.ts'
import { CliError, usageError } from '../../errors/cli-error.ts'
import { exitCodes } from '../../errors/exit-codes.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { printJson, printPairs, printRows, say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ClientOptions {
  context?: string
  contexts?: boolean
  overrides?: boolean
}

export function buildCommand(): Command {
  return newClientCommand('get')
    .description(`Show attributes. With a single name, the command prints only the value (unless you pass --json), and
exits with code 4 if the attribute is not set. To show attributes of many devices, run "muster devices list --columns
name,site,net.ssid".`)
    .argument('<target>', targetHelp)
    .argument('[name...]', 'attribute names (default: all)')
    .option('--context <name>', 'show effective values in this context: overrides merged with base values')
    .option('--overrides', 'with --context, show only overrides')
    .addOption(
      new Option('--contexts', 'show all base values, and all overrides in each context').conflicts([
        'context',
        'overrides',
      ]),
    )
    .action(run)
}

async function run(
  nameOrId: string,
  names: string[],
  { context, contexts, overrides, ...options }: Options,
): Promise<void> {
  if (overrides && context === undefined) throw usageError('--overrides requires --context')
  const muster = await openMuster(options, 4)
  const target = await findTarget(muster, nameOrId)
  if (contexts) {
    if (names.length > 0) throw usageError('--contexts cannot be combined with attribute names')
    const { printContexts } = await import('../../attributes/print-contexts.ts')
    return printContexts(muster, target, options)
  }
  const attributes =
    overrides && context !== undefined
      ? await muster.attributes.overrides(target, context)
      : await muster.attributes.get(target, { context })
  if (names.length === 0) return options.json ? printJson(attributes) : printPairs(flatten(attributes))
  const found = names.map((name): [string, string | null] => [name, findAttribute(attributes, name)])
  if (found.length > 1) {
    if (options.json) return printJson(Object.fromEntries(found))
    return printRows(found, [
      { name: 'name', value: ([name]) => name },
      { name: 'value', value: ([, value]) => value },
    ])
  }
  const [name, value] = found[0]!
  if (value === null) {
    const attribute = `attribute ${JSON.stringify(name)}`
    const missing = overrides ? `override of the ${attribute} in the context ${JSON.stringify(context)}` : attribute
    throw new CliError(`${nameOrId} has no ${missing}`, { exitCode: exitCodes.notFound })
  }
  await (options.json ? printJson({ [name]: value }) : say(value))
}

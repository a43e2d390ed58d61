import type { AttributeInfo } from '@muster/client'
import type { Command } from 'commander'
import { findTarget, targetHelp } from '../../attributes/find-target.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import type { Column } from '../../output/column.ts'
import { printJson, printRows, say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ClientOptions {
  context?: string
}

const ofValue: readonly Column<AttributeInfo>[] = [
  { name: 'name', value: ({ name }) => name },
  { name: 'value', value: ({ value }) => value, truncated: 'last' },
]
const ofOverride: readonly Column<AttributeInfo>[] = [
  { name: 'setIn', value: ({ setIn }) => setIn },
  { name: 'base', value: ({ base }) => base, truncated: 'last' },
]
const ofChange: readonly Column<AttributeInfo>[] = [{ name: 'changed', value: ({ changed }) => changed, time: true }]
const ofInterval: readonly Column<AttributeInfo>[] = [
  { name: 'confirmed', value: ({ confirmed }) => confirmed, time: true },
  { name: 'stale', value: ({ isStale }) => (isStale ? 'yes' : 'no') },
]

export function buildCommand(): Command {
  return newClientCommand('info')
    .description(`Show attributes with the time when each value last changed. For attributes with an expected interval,
the command also shows when the value was last written and whether it is stale. To see who changed the attributes of a
device, run "muster devices history".`)
    .argument('<target>', targetHelp)
    .argument('[name...]', 'attribute names (default: all)')
    .option('--context <name>', 'show effective values in this context, and the base values that overrides hide')
    .action(run)
}

async function run(nameOrId: string, names: string[], { context, ...options }: Options): Promise<void> {
  const muster = await openMuster(options, 4)
  const target = await findTarget(muster, nameOrId)
  const rows = await muster.attributes.info(target, { context, names: names.length > 0 ? names : undefined })
  if (options.json) return printJson(rows)
  if (rows.length === 0) return say('No attributes found.')
  const isExpected = rows.some(({ expectedInterval }) => expectedInterval !== null)
  const columns = [...ofValue, ...(context === undefined ? [] : ofOverride), ...ofChange]
  await printRows(rows, isExpected ? [...columns, ...ofInterval] : columns)
}

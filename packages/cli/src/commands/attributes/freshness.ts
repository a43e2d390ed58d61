import type { Selected } from '@muster/client'
import type { Command } from 'commander'
import { usageError } from '../../errors/cli-error.ts'
import { span } from '../../options/moment.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import type { Column } from '../../output/column.ts'
import { printJson, printRows, say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ClientOptions {
  every?: number | false
}

const fields = { name: true, seconds: true, stale: true } as const

type Freshness = Selected<'Freshness', typeof fields>

const columns: readonly Column<Freshness>[] = [
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'every', value: ({ seconds }) => duration(seconds) },
  { name: 'stale', value: ({ stale }) => String(stale) },
]

export function buildCommand(): Command {
  return newClientCommand('freshness')
    .description(`List the attributes that have an expected interval between writes, with the number of devices whose
value is stale. With --every, set the interval of one attribute. A value is stale if it has not been written for 1.25
intervals.`)
    .argument('[name]', 'attribute to list or, with --every or --no-every, to change (default: list all)')
    .option('--every <duration>', 'expected interval between writes, from 1m to 365d, such as 10m or 1d', span)
    .option('--no-every', 'remove the expected interval')
    .action(run)
}

async function run(name: string | undefined, { every, ...options }: Options): Promise<void> {
  if (every !== undefined && name === undefined)
    throw usageError('--every and --no-every require the name of an attribute')
  const muster = await openMuster(options, 4)
  if (every !== undefined && name !== undefined)
    await muster.mutations.setExpectedInterval({ name, seconds: every === false ? null : every })
  const { login } = await muster.select({ login: { freshness: fields } })
  const all: readonly Freshness[] = login?.freshness ?? []
  const found = name === undefined ? all : all.filter((each) => each.name === name)
  if (options.json) return printJson(found)
  if (found.length > 0) return printRows(found, columns)
  await say(name === undefined ? 'No attribute has an expected interval.' : `${name} has no expected interval.`)
}

const units = [
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

function duration(seconds: number): string {
  const [unit, size] = units.find((each) => seconds % each[1] === 0) ?? ['s', 1]
  return `${seconds / size}${unit}`
}

import type { Muster, View } from '@muster/client'
import type { Command } from 'commander'
import { joinFilters, whereHelp } from '../devices/where.ts'
import { CliError, exitCodes, usageError } from '../errors/cli-error.ts'
import { type ClientOptions, collect, namesWithCommas } from '../options/new-command.ts'
import type { Column } from '../output/column.ts'
import { printJson, printOne } from '../output/print-one.ts'

export const viewFields = {
  id: true,
  name: true,
  kind: true,
  where: true,
  context: true,
  sortBy: true,
  columns: { name: true, label: true, width: true },
  description: true,
  labels: true,
  isShared: true,
  created: true,
  updated: true,
  version: true,
} as const

export type ViewRow = Pick<View, keyof typeof viewFields>

export const viewColumns: readonly Column<ViewRow>[] = [
  { name: 'id', value: ({ id }) => id, whole: true },
  { name: 'name', value: ({ name }) => name },
  { name: 'kind', value: ({ kind }) => kind.toLowerCase() },
  { name: 'where', value: ({ where }) => where },
  { name: 'context', value: ({ context }) => context },
  { name: 'sort', value: ({ sortBy }) => (sortBy.length === 0 ? null : sortBy.join(',')) },
  {
    name: 'columns',
    value: ({ columns }) => (columns.length === 0 ? null : columns.map(({ name }) => name).join(',')),
  },
  { name: 'description', value: ({ description }) => description },
  { name: 'labels', value: ({ labels }) => (labels.length === 0 ? null : labels.join(',')) },
  { name: 'version', value: ({ version }) => version },
]

/** Finds a view by its ID or its name, which is case-insensitive. A missing view is an error, never "no filter". */
export async function findView(muster: Muster, meant: string): Promise<ViewRow> {
  const { login } = await muster.select({ login: { views: viewFields } })
  const views: readonly ViewRow[] = login?.views ?? []
  const found = views.find(({ id, name }) => id === meant || name.toLowerCase() === meant.toLowerCase())
  if (found !== undefined) return found
  throw new CliError(`no view has the ID or name ${JSON.stringify(meant)}`, {
    exitCode: exitCodes.notFound,
    hint: 'Run "muster views list" for a list.',
  })
}

/** Returns the ID of the view in an option. */
export const viewIdOf = async (muster: Muster, meant: string | undefined): Promise<string | undefined> =>
  meant === undefined ? undefined : (await findView(muster, meant)).id

const kinds = ['DEVICES', 'SERVICES', 'EVENTS'] as const

export function readKind(text: string): (typeof kinds)[number] {
  const kind = kinds.find((each) => each === text.toUpperCase())
  if (kind === undefined) throw usageError(`--kind: ${JSON.stringify(text)} is not devices, services, or events`)
  return kind
}

/** Options of `views create` and `views update`. */
export interface ViewOptions extends ClientOptions {
  where?: string[]
  context?: string
  sort?: string[]
  columns?: string[]
  description?: string
  label?: string[]
}

export const withViewOptions = (command: Command): Command =>
  command
    .option('--where <filter>', 'filter, such as "state = active"; repeatable', collect)
    .option('--context <name>', 'context in which the filter and the sort read attributes')
    .option('--sort <keys>', 'up to 4 comma-separated sort keys, such as site,-name', namesWithCommas)
    .option('--columns <names>', 'comma-separated columns', namesWithCommas)
    .option('--description <text>', 'purpose of the view')
    .option('--label <label>', 'label that groups views; repeatable', collect)
    .addHelpText('after', whereHelp)

/** Returns the given options as arguments of createView and updateView. An empty value clears an option. */
export function viewArguments({ where, context, sort, columns, description, label }: ViewOptions) {
  return {
    ...(where !== undefined && { where: where.join('') === '' ? null : joinFilters(where) }),
    ...(context !== undefined && { context: context || null }),
    ...(sort !== undefined && { sortBy: sort }),
    ...(columns !== undefined && { columns: columns.map((name) => ({ name })) }),
    ...(description !== undefined && { description: description || null }),
    ...(label !== undefined && { labels: label.filter((each) => each !== '') }),
  }
}

/** Prints a view after a change. */
export async function printView(muster: Muster, id: string, { json }: { json?: boolean }): Promise<void> {
  const view = await findView(muster, id)
  await (json ? printJson(view) : printOne(view, viewColumns))
}

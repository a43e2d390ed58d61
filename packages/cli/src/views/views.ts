import type { Muster, View } from '@muster/client'
import type { Command } from 'commander'
import { deviceColumns } from '../devices/device-columns.ts'
import { assertKnownNames, joinFilters, whereHelp } from '../devices/where.ts'
import { CliError, usageError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import { eventColumns } from '../events/event-columns.ts'
import type { ClientOptions } from '../options/new-command.ts'
import { collect, namesWithCommas } from '../options/option-values.ts'
import { type Column, chooseColumns } from '../output/column.ts'
import { printJson, printOne } from '../output/print-result.ts'
import { serviceColumns } from '../services/service-columns.ts'

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
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'kind', value: ({ kind }) => kind.toLowerCase() },
  { name: 'where', value: ({ where }) => where },
  { name: 'context', value: ({ context }) => context },
  { name: 'sort', value: ({ sortBy }) => (sortBy.length === 0 ? null : sortBy.join(',')) },
  {
    name: 'columns',
    value: ({ columns }) =>
      columns.length === 0
        ? null
        : columns.map(({ name, label }) => (label === null ? name : `${name}=${label}`)).join(','),
  },
  { name: 'description', value: ({ description }) => description },
  { name: 'labels', value: ({ labels }) => (labels.length === 0 ? null : labels.join(',')) },
  { name: 'shared', value: ({ isShared }) => isShared },
  { name: 'version', value: ({ version }) => version },
]

export async function findView(muster: Muster, nameOrId: string): Promise<ViewRow> {
  const { login } = await muster.select({ login: { views: viewFields } })
  const views: readonly ViewRow[] = login?.views ?? []
  const found = views.find(({ id, name }) => id === nameOrId || name.toLowerCase() === nameOrId.toLowerCase())
  if (found !== undefined) return found
  throw new CliError(`no view has the ID or name ${JSON.stringify(nameOrId)}`, {
    exitCode: exitCodes.notFound,
    hint: 'To list all views, run "muster views list".',
  })
}

export const findGivenView = async (muster: Muster, nameOrId: string | undefined): Promise<ViewRow | undefined> =>
  nameOrId === undefined ? undefined : findView(muster, nameOrId)

const kinds = ['DEVICES', 'SERVICES', 'EVENTS'] as const

export function readKind(text: string): (typeof kinds)[number] {
  const kind = kinds.find((each) => each === text.toUpperCase())
  if (kind === undefined) throw usageError(`--kind must be devices, services, or events, not ${JSON.stringify(text)}`)
  return kind
}

export interface ViewOptions extends ClientOptions {
  where?: string[]
  context?: string
  sort?: string[]
  columns?: string[]
  description?: string
  label?: string[]
  shared?: boolean
}

export const withViewOptions = (command: Command): Command =>
  command
    .option('--where <filter>', 'filter, such as "state = active"; if repeated, all filters must match', collect)
    .option('--context <name>', 'context in which the view reads attributes')
    .option(
      '--sort <keys>',
      'up to 4 comma-separated fields or attributes, such as site,-name; the prefix - means descending order',
      namesWithCommas,
    )
    .option(
      '--columns <names>',
      'comma-separated columns, each with an optional heading, such as name,site=Location',
      namesWithCommas,
    )
    .option('--description <text>', 'purpose of the view')
    .option('--label <label>', 'label that groups views; repeatable', collect)
    .option(
      '--shared',
      'show the view to members and access keys that are restricted to some devices or attributes (default for new views)',
    )
    .option(
      '--no-shared',
      'hide the view from members and access keys that are restricted to some devices or attributes',
    )
    .addHelpText('after', whereHelp)

/** Parses a column such as `site` or `site=Location`. */
function readColumn(text: string): { name: string; label?: string } {
  const at = text.indexOf('=')
  return at < 1 ? { name: text } : { name: text.slice(0, at).trim(), label: text.slice(at + 1).trim() }
}

/** Returns the arguments for creating or updating a view. An empty value, as in `--where ''`, removes the property. */
export function viewArguments({ where, context, sort, columns, description, label, shared }: ViewOptions) {
  return {
    where: where?.join('') === '' ? null : joinFilters(where ?? []),
    context: context === '' ? null : context,
    sortBy: sort,
    columns: columns?.map(readColumn),
    description: description === '' ? null : description,
    labels: label?.filter((each) => each !== ''),
    isShared: shared,
  }
}

/** Rejects unknown columns and sort keys, so that the user notices a typo before the view is saved. */
export async function assertKnownOptions(
  muster: Muster,
  { kind, columns = [], sort = [] }: Pick<ViewOptions, 'columns' | 'sort'> & { kind: View['kind'] },
): Promise<void> {
  const names = columns.map((column) => readColumn(column).name)
  // The server rejects every sort key of a view of events, so this function checks only the columns.
  if (kind === 'EVENTS') return void chooseColumns(names, { known: eventColumns, usual: [] })
  const known: readonly { name: string }[] = kind === 'DEVICES' ? deviceColumns : serviceColumns
  const others = names.filter((name) => !known.some((column) => column.name === name))
  await assertKnownNames(muster, { option: '--columns', names: others, kind })
  const keys = sort.map((key) => (/ (asc|desc)$/i.test(key) ? key.replace(/ \w+$/, '') : key.replace(/^[-+]/, '')))
  await assertKnownNames(muster, { option: '--sort', names: keys, kind })
}

/**
 * Ignores a view of another kind, so that the command fails with the server's error about the kind. The names can be
 * unknown, for example if no object has the attribute anymore. Lists show such columns without values.
 */
export const columnsOf = (view: ViewRow | undefined, kind: View['kind']): string[] | undefined =>
  view?.kind !== kind || view.columns.length === 0 ? undefined : view.columns.map(({ name }) => name)

/** Ignores a view of another kind, as `columnsOf` does. */
export const sortKeysOf = (view: ViewRow | undefined, kind: View['kind']): string[] | undefined =>
  view?.kind !== kind || view.sortBy.length === 0 ? undefined : view.sortBy

export async function printView(muster: Muster, id: string, { json }: { json?: boolean }): Promise<void> {
  const view = await findView(muster, id)
  await (json ? printJson(view) : printOne(view, viewColumns))
}

import type { FilterKind, Muster } from '@muster/client'
import { Option } from 'commander'
import { usageError } from '../errors/cli-error.ts'
import { collect } from '../options/option-values.ts'

export const whereHelp = `
Filters (quote them, because shells interpret many of these characters):
  state = active              a field: id, name, hardwareId, platform, created, state, lastReported, …
  site = oslo                 an attribute; site != oslo also matches devices without a site
  site:os, site = os*         a part, case-insensitive; a pattern
  site = (oslo OR bergen)     one of several values
  site:*, NOT site:*          has any value; has none
  load > 0.8                  compares numbers; firmware >= "2.10" compares versions
  lastReported < -7d          a time: a date, a date-time, or relative to now
  services.port = 22          has a service on this port
  gateway                     a part of the name or hardware ID, or the beginning of the ID
Combine conditions with AND and OR, and use parentheses if you mix them. Several --where options must all match.
The guide "Finding devices" has more examples.`

/** Returns the option --where. Its help begins with `action`, such as `list devices`. */
export const whereOption = (action: string, example = 'state = active'): Option =>
  new Option(
    '--where <filter>',
    `${action} that match a filter, such as "${example}"; if repeated, all filters must match`,
  ).argParser(collect)

export function joinFilters(filters: readonly string[]): string | undefined {
  for (const filter of filters) assertFilter(filter)
  if (filters.length <= 1) return filters[0]
  return filters.map((filter) => `(${filter})`).join(' AND ')
}

/** Rejects an empty filter, which would match everything, and the operator `~`, which does not exist. */
function assertFilter(filter: string): void {
  if (filter.trim() === '')
    throw usageError('--where: the filter is empty', 'To match everything, pass --where "id:*".')
  const [, name, value] = /^([\w.$]+)~(.*)$/s.exec(filter) ?? []
  if (name !== undefined) throw usageError(`--where: ~ is not an operator`, `Write ${name}:${value}.`)
}

export const quote = (text: string): string => `"${text.replaceAll(/["\\*]/g, '\\$&')}"`

/** Throws a usage error if the server does not know a name. Accepts all names with the prefix `attributes.`. */
export async function assertKnownNames(
  muster: Muster,
  { option, names, kind = 'DEVICES' }: { option: string; names: readonly string[]; kind?: FilterKind },
): Promise<void> {
  for (const name of names) {
    if (name.startsWith('attributes.')) continue
    const dot = name.indexOf('.')
    const levels = dot === -1 ? [name] : [name.slice(0, dot), name.slice(dot + 1)]
    const where = `${levels.map(quote).join('.')}:*`
    const { login } = await muster.select({
      login: { checkFilter: { $: { where, kind }, problems: { message: true } } },
    })
    const [problem] = login?.checkFilter.problems ?? []
    if (problem !== undefined) throw usageError(`${option}: ${problem.message}`)
  }
}

export async function findType(muster: Muster, nameOrId: string): Promise<number> {
  if (/^\d+$/.test(nameOrId)) return Number(nameOrId)
  const { applicationTypes } = await muster.select({ applicationTypes: { id: true, name: true } })
  const found = applicationTypes.find(({ name }) => name.toLowerCase() === nameOrId.toLowerCase())
  if (found !== undefined) return found.id
  throw usageError(
    `unknown service type ${JSON.stringify(nameOrId)}`,
    'To list all service types, run "muster services types".',
  )
}

import type { Muster } from '@muster/client'
import { usageError } from '../errors/cli-error.ts'

/** A filter for the API's device list. */
export interface DeviceFilter {
  name?: string
  state?: string
  hardwareId?: string
  id?: string[]
  platform?: string[]
  application?: number[]
  attributes?: Record<string, string>
  context?: string
}

export interface Where {
  filter: DeviceFilter
  /** Full name to match. The API filter matches any part of a name. */
  exactName?: string
}

export const whereHelp = `
Conditions (a device must match all of them):
  name~part              part of the name, case-insensitive; name=… matches the full name
  state=active           state: active or inactive
  platform=linux         platform; repeat to match any of several values, as for id and application
  hardwareId=A0-17       hardware ID
  application=ssh        type of one of the services, by name or ID ("muster services types" lists them)
  site=oslo              attribute: any other name, such as net.ssid=lab in a group
  attributes.state=x     attribute that has one of the names above`

const fields = ['name', 'state', 'hardwareId', 'id', 'platform', 'application'] as const
type Field = (typeof fields)[number]

interface Condition {
  name: string
  operator: '=' | '~'
  value: string
}

/** Parses conditions such as `state=active`, `name~pump`, and `site=oslo`. */
export function parseWhere(conditions: readonly string[], context?: string): { where: Where; applications: string[] } {
  const filter: DeviceFilter = context === undefined ? {} : { context }
  const where: Where = { filter }
  const applications: string[] = []
  for (const condition of conditions.map(readCondition)) {
    const { name, value } = condition
    if (condition.operator === '~' && name !== 'name') throw unsupportedOperator(name)
    if (name === 'name') addName(where, condition)
    else if (name === 'application') applications.push(value)
    else if (name === 'id' || name === 'platform') filter[name] = [...(filter[name] ?? []), value]
    else if (name === 'state' || name === 'hardwareId') filter[name] = once(filter[name], name, value)
    else addAttribute(filter, name.replace(/^attributes\./, ''), value)
  }
  return { where, applications }
}

function readCondition(text: string): Condition {
  const [, name, operator, value] = /^([^=~]+)([=~])([\s\S]*)$/.exec(text) ?? []
  if (name === undefined) {
    throw usageError(
      `--where ${JSON.stringify(text)} is not a condition`,
      'Write conditions such as state=active, name~pump, or site=oslo.',
    )
  }
  return { name, operator: operator as Condition['operator'], value: value! }
}

const unsupportedOperator = (name: string): Error =>
  usageError(`--where: ~ works only with name, not with ${name}`, `Write ${name}=…, which matches the full value.`)

function addName(where: Where, { operator, value }: Condition): void {
  if (value === '') throw usageError('--where: the name is empty')
  where.filter.name = once(where.filter.name, 'name', value)
  if (operator === '=') where.exactName = value
}

function addAttribute(filter: DeviceFilter, name: string, value: string): void {
  filter.attributes = { ...filter.attributes, [name]: once(filter.attributes?.[name], name, value) }
}

function once(before: string | undefined, name: Field | string, value: string): string {
  if (before === undefined || before === value) return value
  throw usageError(`--where: ${name} cannot be both ${JSON.stringify(before)} and ${JSON.stringify(value)}`)
}

/** Like `parseWhere`, but also converts service type names to IDs. */
export async function readWhere(muster: Muster, conditions: readonly string[], context?: string): Promise<Where> {
  const { where, applications } = parseWhere(conditions, context)
  if (applications.length > 0)
    where.filter.application = await Promise.all(applications.map((one) => findType(muster, one)))
  return where
}

/** Finds a service type by its case-insensitive name or its ID, and returns the ID. */
export async function findType(muster: Muster, meant: string): Promise<number> {
  if (/^\d+$/.test(meant)) return Number(meant)
  const { applicationTypes } = await muster.select({ applicationTypes: { id: true, name: true } })
  const found = applicationTypes.find(({ name }) => name.toLowerCase() === meant.toLowerCase())
  if (found !== undefined) return found.id
  throw usageError(`unknown service type ${JSON.stringify(meant)}`, 'Run "muster services types" for a list.')
}

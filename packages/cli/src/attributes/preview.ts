import type { Attributes, Muster } from '@muster/client'
import { isId } from '../devices/find-device.ts'
import { CliError } from '../errors/cli-error.ts'
import type { Column } from '../output/column.ts'
import { printList } from '../output/print-list.ts'
import { findAttribute } from './dotted-attributes.ts'
import { type Plan, type Planned, targetPages } from './plan.ts'

interface Difference {
  id: string
  name: string
  attribute: string
  from: string | null
  to: string | null
  problem?: string
}

const columns: readonly Column<Difference>[] = [
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'attribute', value: ({ attribute }) => attribute },
  { name: 'from', value: ({ from }) => from },
  { name: 'to', value: ({ to, problem }) => problem ?? to },
]

interface Counts {
  targets: number
  changing: number
  rejected: number
}

/** Prints the changes. Returns the number of targets whose change the server would reject. */
export async function preview(muster: Muster, planned: Planned, options: { json?: boolean }): Promise<number> {
  const seen: Counts = { targets: 0, changing: 0, rejected: 0 }
  const items = differences(muster, planned, seen)
  await printList({ items, columns, options, empty: 'Nothing would change.' })
  const rejected = seen.rejected === 0 ? '' : ` Rejected: ${seen.rejected}.`
  console.error(`Targets that would change: ${seen.changing} of ${seen.targets}.${rejected} Nothing was written.`)
  return seen.rejected
}

async function* differences(muster: Muster, planned: Planned, seen: Counts): AsyncGenerator<Difference> {
  const plan: Plan = { ...planned, url: '', userId: '', total: 0, cursor: null, done: 0, refused: 0 }
  for await (const { ids } of targetPages(muster, plan)) {
    for (const target of await readTargets(muster, ids, planned.context)) {
      const found = [...differencesOf(target, planned)]
      seen.targets++
      if (found.some(({ problem }) => problem !== undefined)) seen.rejected++
      else if (found.length > 0) seen.changing++
      yield* found
    }
  }
}

interface Target {
  id: string
  name: string
  kind: 'device' | 'service' | 'user'
  attributes: Attributes
  current: Attributes
}

/**
 * One query reads both devices and services, because a device's ID is also the ID of its bulk service. A user is always
 * the only target.
 */
async function readTargets(muster: Muster, ids: string[], context: string | undefined): Promise<Target[]> {
  const userId = ids.find((id) => !isId(id))
  if (userId !== undefined) return [await readUser(muster, userId, context)]
  const fields = { $: { id: ids }, id: true, name: true, device: { id: true }, attributes: { $: { context } } } as const
  const overridesField = context === undefined ? {} : ({ overrides: { $: { context } } } as const)
  const { login } = await muster.select({ login: { id: true, service: { ...fields, ...overridesField } } })
  return (login?.service ?? []).map(({ device, overrides, ...target }) => ({
    ...target,
    kind: device.id === target.id ? 'device' : 'service',
    current: overrides ?? target.attributes,
  }))
}

async function readUser({ attributes }: Muster, id: string, context: string | undefined): Promise<Target> {
  const effective = await attributes.get(id, { context })
  const current = context === undefined ? effective : await attributes.overrides(id, context)
  return { id, name: 'me', kind: 'user', attributes: effective, current }
}

function* differencesOf({ id, name, kind, attributes, current }: Target, { changes }: Planned): Generator<Difference> {
  for (const [attribute, value] of Object.entries(changes)) {
    const to = value as string | null
    if (isReserved(attribute, to, kind)) {
      const allowed =
        kind === 'user' ? 'those in $ui' : '$svc.categoryA to $svc.categoryE and $svc.statusA to $svc.statusE'
      throw new CliError(
        `the attribute name ${JSON.stringify(attribute)} is reserved: the only names that can start with $ are ${allowed}`,
      )
    }
    if (attribute.startsWith('$') && kind === 'service') {
      yield { id, name, attribute, from: null, to, problem: `rejected: only devices can have ${attribute}` }
      continue
    }
    if (typeof attributes[attribute] === 'object') {
      if (to !== null) yield { id, name, attribute, from: null, to, problem: `rejected: ${attribute} is a group` }
      else
        for (const [sub, from] of Object.entries(current[attribute] ?? {}))
          yield { id, name, attribute: `${attribute}.${sub}`, from, to }
      continue
    }
    const group = attribute.includes('.') ? attribute.slice(0, attribute.indexOf('.')) : undefined
    const from = findAttribute(attributes, attribute)
    if (to !== null && group !== undefined && typeof attributes[group] === 'string') {
      yield { id, name, attribute, from, to, problem: `rejected: ${group} is a value` }
    } else if (findAttribute(current, attribute) !== to) {
      yield { id, name, attribute, from, to }
    }
  }
}

/**
 * Among the names that begin with $, devices can have only $svc.categoryA to $svc.categoryE and $svc.statusA to
 * $svc.statusE, and users only names in $ui. A change can also remove the whole group. Services cannot have any of
 * these names.
 */
function isReserved(name: string, to: string | null, kind: Target['kind']): boolean {
  if (name === (kind === 'user' ? '$ui' : '$svc')) return to !== null
  return name.startsWith('$') && !(kind === 'user' ? /^\$ui\./ : /^\$svc\.(category|status)[A-E]$/).test(name)
}

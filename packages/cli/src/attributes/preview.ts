import type { Attributes, Muster } from '@muster/client'
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

/** Prints the changes. Returns the number of devices and services whose change the server would reject. */
export async function preview(muster: Muster, planned: Planned, options: { json?: boolean }): Promise<number> {
  const seen: Counts = { targets: 0, changing: 0, rejected: 0 }
  const items = differences(muster, planned, seen)
  await printList({ items, columns, options, empty: 'Nothing would change.' })
  const rejected = seen.rejected === 0 ? '' : ` Rejected: ${seen.rejected}.`
  console.error(
    `Devices and services that would change: ${seen.changing} of ${seen.targets}.${rejected} Nothing was written.`,
  )
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
  isDevice: boolean
  attributes: Attributes
  current: Attributes
}

/** One query reads both devices and services, because a device's ID is also the ID of its bulk service. */
async function readTargets(muster: Muster, ids: string[], context: string | undefined): Promise<Target[]> {
  const fields = { $: { id: ids }, id: true, name: true, device: { id: true }, attributes: { $: { context } } } as const
  const overridesField = context === undefined ? {} : ({ overrides: { $: { context } } } as const)
  const { login } = await muster.select({ login: { id: true, service: { ...fields, ...overridesField } } })
  return (login?.service ?? []).map(({ device, overrides, ...target }) => ({
    ...target,
    isDevice: device.id === target.id,
    current: overrides ?? target.attributes,
  }))
}

function* differencesOf(
  { id, name, isDevice, attributes, current }: Target,
  { changes }: Planned,
): Generator<Difference> {
  for (const [attribute, value] of Object.entries(changes)) {
    const to = value as string | null
    if (isReserved(attribute, to))
      throw new CliError(
        `the attribute name ${JSON.stringify(attribute)} is reserved: the only names that can start with $ are $svc.categoryA to $svc.categoryE and $svc.statusA to $svc.statusE`,
      )
    if (attribute.startsWith('$') && !isDevice) {
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
 * $svc.statusE. A change can also remove the group $svc. Services cannot have any of these names.
 */
function isReserved(name: string, to: string | null): boolean {
  if (name === '$svc') return to !== null
  return name.startsWith('$') && !/^\$svc\.(category|status)[A-E]$/.test(name)
}

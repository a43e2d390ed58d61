import { type Direction, parseSort } from '../../lib/sort.ts'
import { assertStorable } from '../../lib/string-checks.ts'
import { type AttributeName, parseAttributeName } from '../attributes/attribute-name.ts'
import type { State } from '../devices/device.ts'
import { readState } from '../devices/list/device-filter.ts'

/** Null is equivalent to an omitted argument. */
export interface ServiceListArguments {
  name?: string | null | undefined
  state?: string | null | undefined
  application?: readonly number[] | null | undefined
  sort?: string | null | undefined
}

/** A service must match all filters. An empty list of applications matches no service. */
export interface ServiceFilter {
  /** A part of the name, case-insensitive. */
  name?: string
  state?: State
  applications?: readonly number[]
}

const fields = ['name', 'id', 'created', 'state', 'application', 'port'] as const

export interface ServiceOrder {
  by: (typeof fields)[number] | AttributeName
  direction: Direction
}

export function readServiceFilter({ name, state, application }: ServiceListArguments): ServiceFilter {
  if (name != null) assertStorable(name, 'name')
  return {
    ...(name && { name }),
    ...(state != null && { state: readState(state) }),
    ...(application != null && { applications: application }),
  }
}

export function readServiceOrder(sort: string | null | undefined): ServiceOrder {
  const parsed = parseSort(sort ?? 'name asc', fields)
  const by = 'field' in parsed ? parsed.field : parseAttributeName(parsed.attribute, 'sort')
  return { by, direction: parsed.direction }
}

import type { Selected } from '@muster/client'
import type { Column } from '../output/column.ts'
import { stateColor } from '../output/state-color.ts'

export type EventRow = Selected<'Event', typeof eventFields>

export const eventFields = {
  id: true,
  type: true,
  timestamp: true,
  state: true,
  data: true,
  target: { id: true, kind: true, name: true },
  actor: { id: true, email: true },
  source: { kind: true, id: true, name: true },
} as const

export const sourceOf = ({ source: { kind, id, name } }: Pick<EventRow, 'source'>): string =>
  kind === 'accessKey' ? `key ${name ?? id}` : kind

export const eventColumns: readonly Column<EventRow>[] = [
  { name: 'timestamp', value: ({ timestamp }) => timestamp, time: true },
  { name: 'type', value: ({ type }) => type },
  { name: 'target', value: ({ target }) => target.map(({ name }) => name).join(' ') || null, truncated: 'last' },
  { name: 'actor', value: ({ actor }) => actor?.email },
  { name: 'source', value: sourceOf },
  { name: 'details', value: detailsOf },
  { name: 'state', value: ({ state }) => state, color: ({ state }) => stateColor(state) },
  { name: 'targetId', value: ({ target }) => target.map(({ id }) => id).join(' ') || null, truncated: 'first' },
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
]

export const usualEventColumns = ['timestamp', 'type', 'target', 'actor', 'source', 'details']

interface Change {
  old?: unknown
  new?: unknown
}

function detailsOf({ state, data }: EventRow): string | null {
  const { changes, context, ...rest } = data as { changes?: Record<string, Change>; context?: string | null }
  const changed = Object.entries(changes ?? {}).map(
    ([name, change]) => `${name}: ${short(change.old)} → ${short(change.new)}`,
  )
  if (changed.length > 0) return `${changed.join(', ')}${context ? ` in ${context}` : ''}`
  if (state !== null) return state
  const present = Object.entries(rest).filter(([, value]) => typeof value !== 'object')
  return present.map(([name, value]) => `${name}: ${value}`).join(', ') || null
}

const short = (value: unknown): string =>
  value === null || value === undefined ? '-' : typeof value === 'string' ? value : JSON.stringify(value)

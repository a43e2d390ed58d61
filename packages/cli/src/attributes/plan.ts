import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { AttributeChanges, Muster } from '@muster/client'
import { usageError } from '../cli-error.ts'
import { isId } from '../devices/find-device.ts'
import { matching } from '../devices/matching.ts'
import { readWhere } from '../devices/where.ts'
import type { ChangeOptions } from './change-options.ts'

/** Devices that meet conditions, or whatever has one of these ids. */
export type Targets = { where: string[] } | { ids: string[] }

/** A change of many. */
export interface Planned {
  targets: Targets
  changes: AttributeChanges
  context?: string | undefined
}

/** A change of many and how far it is: what a state file holds. */
export interface Plan extends Planned {
  /** Where, and whose: it goes on there alone. */
  url: string
  userId: string
  total: number
  /** Marks the place that all before are done; for ids, how many. */
  cursor: string | number | null
  done: number
  refused: number
}

export async function planTargets(muster: Muster, { where = [], from, context }: ChangeOptions): Promise<Targets> {
  if (from !== undefined) return { ids: readIds(await readText(from), from) }
  const read = await readWhere(muster, where, context)
  if (read.exactName === undefined) return { where }
  // The API looks for parts of names; those of the whole name are few.
  const ids: string[] = []
  const select = { id: true, name: true }
  for await (const { id } of matching(muster, read, { select, sort: 'id asc', limit: Number.POSITIVE_INFINITY }))
    ids.push(id)
  return { ids }
}

async function readText(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  return readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(`the ids cannot be read: ${error.message}`)
  })
}

function readIds(content: string, file: string): string[] {
  const ids = new Set<string>()
  for (const [index, line] of content.split('\n').entries()) {
    const id = line.trim()
    if (id === '' || id.startsWith('#')) continue
    if (!isId(id)) {
      throw usageError(
        `${file === '-' ? 'standard input' : file}:${index + 1}: ${JSON.stringify(id)} is no id of a device or service`,
        'One id a line, such as muster devices list --json | jq -r .id prints.',
      )
    }
    ids.add(id.toLowerCase())
  }
  return [...ids]
}

export async function countTargets(muster: Muster, targets: Targets, context: string | undefined): Promise<number> {
  if ('ids' in targets) return targets.ids.length
  const { filter } = await readWhere(muster, targets.where, context)
  return muster.devices(filter).total()
}

export interface TargetPage {
  ids: string[]
  /** Marks the place behind it. */
  cursor: string | number | null
}

/** Small enough that little is done again after a stop. */
export const PAGE = 500

/** The targets from a place on, a page at a time. */
export async function* targetPages(muster: Muster, plan: Plan): AsyncGenerator<TargetPage> {
  const { targets, cursor, context } = plan
  if ('ids' in targets) {
    for (let at = Number(cursor ?? 0); at < targets.ids.length; at += PAGE) {
      yield { ids: targets.ids.slice(at, at + PAGE), cursor: Math.min(at + PAGE, targets.ids.length) }
    }
    return
  }
  const { filter } = await readWhere(muster, targets.where, context)
  // By id, which no change moves.
  const page = { sort: 'id asc', size: PAGE, ...(cursor === null ? {} : { after: String(cursor) }) }
  const devices = muster.devices({ ...filter, ...page, select: { id: true } })
  for await (const { items, cursor: behind } of devices.pages())
    yield { ids: items.map(({ id }) => id), cursor: behind }
}

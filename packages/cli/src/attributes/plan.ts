import { text } from 'node:stream/consumers'
import type { AttributeChanges, Muster } from '@muster/client'
import { isId } from '../devices/find-device.ts'
import { joinFilters } from '../devices/where.ts'
import { usageError } from '../errors/cli-error.ts'
import { readNamedFile } from '../options/read-named-file.ts'
import type { ChangeOptions } from './change-options.ts'

/** `now` is the reference time for relative times in filters, and is the same for all pages. */
export type Targets = { where: string[]; now?: string } | { ids: string[] }

export interface Planned {
  targets: Targets
  changes: AttributeChanges
  context?: string | undefined
}

export interface Plan extends Planned {
  /** URL of the server. The change can be resumed only on this server and in the account with the ID `userId`. */
  url: string
  userId: string
  total: number
  /** Position after the last processed target: a page cursor or, for a list of IDs, the number of processed IDs. */
  cursor: string | number | null
  done: number
  refused: number
}

export async function planTargets({ where = [], from }: ChangeOptions): Promise<Targets> {
  if (from !== undefined) return { ids: readIds(await readText(from), from) }
  return { where, now: new Date().toISOString() }
}

const readText = (file: string): Promise<string> =>
  file === '-' ? text(process.stdin) : readNamedFile(file, 'the IDs')

function readIds(content: string, file: string): string[] {
  const ids = new Set<string>()
  for (const [index, line] of content.split('\n').entries()) {
    const id = line.trim()
    if (id === '' || id.startsWith('#')) continue
    if (!isId(id)) {
      throw usageError(
        `${file === '-' ? 'standard input' : file}:${index + 1}: ${JSON.stringify(id)} is not a device or service ID`,
        'Write one ID per line, as printed by: muster devices list --json | jq -r .id',
      )
    }
    ids.add(id.toLowerCase())
  }
  return [...ids]
}

export async function countTargets(muster: Muster, targets: Targets, context: string | undefined): Promise<number> {
  if ('ids' in targets) return targets.ids.length
  return muster.devices(filterOf(targets, context)).total()
}

/** Targets per page. The number is low, so that little work is repeated after an interruption. */
const PAGE = 500

export async function* targetPages(
  muster: Muster,
  plan: Plan,
): AsyncGenerator<{ ids: string[]; cursor: Plan['cursor'] }> {
  const { targets, cursor, context } = plan
  if ('ids' in targets) {
    for (let at = Number(cursor ?? 0); at < targets.ids.length; at += PAGE) {
      yield { ids: targets.ids.slice(at, at + PAGE), cursor: Math.min(at + PAGE, targets.ids.length) }
    }
    return
  }
  // Sort by ID, because changes do not affect this order.
  const page = { sort: 'id asc', size: PAGE, after: cursor === null ? undefined : String(cursor) }
  const devices = muster.devices({ ...filterOf(targets, context), ...page, select: { id: true } })
  for await (const { items, cursor: next } of devices.pages()) yield { ids: items.map(({ id }) => id), cursor: next }
}

const filterOf = ({ where, now }: Extract<Targets, { where: string[] }>, context: string | undefined) => ({
  where: joinFilters(where),
  now,
  context,
})

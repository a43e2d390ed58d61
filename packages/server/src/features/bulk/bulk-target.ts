import type { Context } from '../../context.ts'
import { badInput, limitExceeded } from '../../errors.ts'
import { assertName } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import type { BulkTargetInput } from '../../resolvers.generated.ts'
import { parseContext } from '../attributes/attribute-name.ts'
import { parseId } from '../devices/device-id.ts'
import { assertKnownNames } from '../filters/known-names.ts'
import { assertCanonicalLength, readFilter, readFilterOf } from '../filters/read-filter.ts'
import { withContext } from '../filters/with-context.ts'
import { applyView } from '../views/apply-view.ts'
import type { BulkTarget, CsvRow } from './bulk-job.ts'
import { readCsv } from './rows/read-csv.ts'

/** The job's row in bulk_job stores the selection. The job's items store the IDs or the CSV rows. */
export interface ReadTarget {
  selection: { target: BulkTarget; filter: string | null; context: string | null }
  ids?: readonly string[]
  rows?: readonly CsvRow[]
}

export async function readTarget(
  context: Context,
  { where, view, ids, csv, register = false, secrets = false, ...input }: BulkTargetInput,
): Promise<ReadTarget> {
  const inContext = parseContext(input.context, 'target.context')
  const isFilter = where != null || view != null
  if ([isFilter, ids != null, csv != null].filter(Boolean).length !== 1)
    throw badInput('target must have exactly one of these: where, view, or both; ids; or csv')
  if (register && csv == null) throw badInput('target.register requires target.csv')
  if (secrets && !register) throw badInput('target.secrets requires target.register')
  if (inContext !== undefined && !isFilter) throw badInput('target.context requires target.where or target.view')
  if (csv != null) {
    const { rows, ...read } = readCsv(csv, { path: 'target.csv' })
    return {
      selection: { target: { csv: { ...read, register, ...(secrets && { secrets }) } }, filter: null, context: null },
      rows,
    }
  }
  if (ids != null) {
    if (ids.length === 0) throw badInput('target.ids must contain at least one device ID')
    return { selection: { target: { ids: ids.length }, filter: null, context: null }, ids: readIds(ids, 'target.ids') }
  }
  const read = where == null ? undefined : readFilter(where, { kind: 'device', path: 'target.where' })
  if (where != null && read === undefined)
    throw badInput('target.where must not be empty: to select all devices, pass "id:*"')
  if (read !== undefined) {
    assertCanonicalLength(read.canonical, 'target.where')
    await assertKnownNames(context, read)
  }
  const target = {
    ...(read !== undefined && { where: read.canonical }),
    ...(view != null && { view }),
    ...(inContext !== undefined && { context: inContext }),
  }
  return { selection: { target, ...(await resolveFilter(context, target)) } }
}

export async function resolveFilter(
  context: Context,
  { where, view, context: inContext }: { where?: string; view?: string; context?: string },
): Promise<{ filter: string; context: string | null }> {
  const read = where === undefined ? undefined : readFilter(where, { kind: 'device', path: 'target.where' })
  const selection = await applyView(context, { where: read, viewId: view, inContext }, { kind: 'device' })
  if (selection.where === undefined)
    throw badInput('target.view has no filter: to select all devices, pass where: "id:*"')
  const filter = withContext(selection.where.filter, selection.context)
  return { filter: readFilterOf(filter, 'device').canonical, context: selection.context ?? null }
}

/**
 * Throws if the list or an ID is too long, or if an ID is empty or contains invalid characters. Also throws if two IDs
 * identify the same device. Keeps unknown IDs, which the preview rejects.
 */
export function readIds(ids: readonly string[], path: string): string[] {
  if (ids.length > limits.idsPerList)
    throw limitExceeded(`${path} accepts at most ${limits.idsPerList} IDs, found ${ids.length}`)
  const seen = new Map<string, number>()
  return ids.map((text, index) => {
    const id = parseId(text) ?? unknownId(text, `${path}[${index}]`)
    const other = seen.get(id)
    if (other !== undefined)
      throw badInput(`${path}[${other}] and ${path}[${index}] identify the same device: keep only one of them`)
    seen.set(id, index)
    return id
  })
}

function unknownId(text: string, path: string): string {
  assertName(text, path, limits.hardwareIdLength)
  return text
}

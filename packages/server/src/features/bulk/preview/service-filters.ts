import type { Context } from '../../../context.ts'
import { badInput } from '../../../errors.ts'
import type { Viewer } from '../../../viewer.ts'
import { readableFilter } from '../../attributes/attribute-access.ts'
import { assertKnownNames } from '../../filters/known-names.ts'
import { type ReadFilter, readFilter, readFilterOf } from '../../filters/read-filter.ts'
import { withContext } from '../../filters/with-context.ts'
import { applyView, readStoredFilter } from '../../views/apply-view.ts'
import type { BulkOperation } from '../bulk-job.ts'

/** Returns the operations with their service filters in canonical form. Throws if a filter is invalid. */
export function readServiceFilters(context: Context, operations: readonly BulkOperation[]): Promise<BulkOperation[]> {
  return Promise.all(
    operations.map(async (operation, index): Promise<BulkOperation> => {
      const path = `operations[${index}]`
      if ('removeService' in operation) {
        const where = await readServiceFilter(context, operation.removeService.where, `${path}.removeService.where`)
        return { removeService: { where } }
      }
      if (!('setAttributes' in operation) || operation.setAttributes.services === undefined) return operation
      const { services, ...rest } = operation.setAttributes
      const filter = await readServiceFilter(context, services, `${path}.setAttributes.services`)
      return { setAttributes: { ...rest, services: filter } }
    }),
  )
}

async function readServiceFilter(context: Context, text: string, path: string): Promise<string> {
  const read = readFilter(text, { kind: 'service', path })
  if (read === undefined) throw badInput(`${path} must not be empty: to select all services, pass "id:*"`)
  await assertKnownNames(context, read)
  const { where } = await applyView(
    context,
    { where: read, viewId: undefined, inContext: undefined },
    { kind: 'service' },
  )
  return readFilterOf(withContext(where!.filter, undefined), 'service').canonical
}

const textOf = (operation: BulkOperation): string | undefined => {
  if ('removeService' in operation) return operation.removeService.where
  return 'setAttributes' in operation ? operation.setAttributes.services : undefined
}

/**
 * Returns undefined if the operation has no service filter. Throws FORBIDDEN if the filter uses a name that the caller
 * cannot read.
 */
export function serviceFilterOf(
  operation: BulkOperation,
  caller: Pick<Viewer, 'restriction' | 'reach'>,
): ReadFilter | undefined {
  const text = textOf(operation)
  if (text === undefined) return undefined
  const read = readStoredFilter(text, {
    place: { kind: 'service', path: 'operations' },
    name: "the job's service filter",
  })
  return read && { ...read, filter: readableFilter(caller, read.filter) }
}

import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { DocumentNeeds } from '../../graphql/access/needed-permissions.ts'
import type { NeedsOptions } from '../../graphql/prepare-operation.ts'

export interface NeedsInput {
  document: string
  operationName?: string | null | undefined
  variables?: Record<string, unknown> | null | undefined
}

/** The rate-limit cost of parsing and validating a document, in rows. */
export const rowsOfDocument = ({ document }: Pick<NeedsInput, 'document'>): number => document.length

/**
 * Returns the permissions that a document needs. The values of its variables can be omitted. Throws if the document is
 * invalid.
 */
export function readNeeds(
  { needsOf, rowMeter }: Pick<Context, 'needsOf' | 'rowMeter'>,
  input: NeedsInput,
  options?: NeedsOptions,
): DocumentNeeds {
  const { document, operationName, variables } = input
  rowMeter.add(() => rowsOfDocument(input))
  const request = { query: document, ...(operationName != null && { operationName }), variables: variables ?? {} }
  const found = needsOf(request, options)
  if ('missing' in found) return found
  throw new ApiError(found.code, `document: ${found.errors[0]?.message}`)
}

import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { DocumentNeeds } from '../../graphql/access/field-needs.ts'

export interface NeedsInput {
  document: string
  operationName?: string | null | undefined
  variables?: Record<string, unknown> | null | undefined
}

/** Returns what a document needs. It is not run, and its variables may be missing. Throws if the document is invalid. */
export function readNeeds({ needsOf }: Pick<Context, 'needsOf'>, input: NeedsInput): DocumentNeeds {
  const { document, operationName, variables } = input
  const found = needsOf({
    query: document,
    ...(operationName != null && { operationName }),
    variables: variables ?? {},
  })
  if ('missing' in found) return found
  throw new ApiError(found.code, `document: ${found.errors[0]?.message}`)
}

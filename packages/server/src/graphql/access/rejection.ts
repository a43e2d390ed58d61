import type { OperationTypeNode } from 'graphql'
import { ApiError } from '../../errors.ts'
import type { DocumentNeeds, FieldNeed } from './needed-permissions.ts'

export interface Caller {
  readonly readOnly: boolean
  /** The permissions as a bit mask. If omitted, the caller has none. */
  readonly permissions?: number
  readonly restriction?:
    | readonly { readonly attributes?: unknown; readonly where?: unknown; readonly view?: unknown }[]
    | undefined
}

export interface Rejection {
  readonly error: ApiError
  readonly fields: readonly string[]
  /** The permissions that the caller lacks. Empty if only the caller's restriction rejects the document. */
  readonly missing: readonly FieldNeed[]
}

export const isChangeRejected = ({ readOnly }: Caller, kind: `${OperationTypeNode}`): boolean =>
  readOnly && kind === 'mutation'

export function rejectionOfDocument(
  { permissions = 0, restriction }: Caller,
  needs: DocumentNeeds,
): Rejection | undefined {
  const missing = needs.missing(permissions)
  if (missing.length === 0) return restriction === undefined ? undefined : rejectionOfFields(restriction, needs)
  const named = missing.map(({ field, permission }) => `${permission} for ${field}`).join(', ')
  const message = `the operation needs permissions that you do not have: ${named}`
  return {
    error: new ApiError('FORBIDDEN', message, { reason: 'permission', missing }),
    fields: missing.map(({ field }) => field),
    missing,
  }
}

function rejectionOfFields(
  restriction: NonNullable<Caller['restriction']>,
  { closed }: Pick<DocumentNeeds, 'closed'>,
): Rejection | undefined {
  if (closed.length === 0) return undefined
  const to = restriction.some(({ attributes }) => attributes !== undefined) ? 'some attributes' : 'some devices'
  const message = `a caller who is restricted to ${to} cannot use ${closed.join(', ')}`
  return { error: new ApiError('FORBIDDEN', message, { reason: 'device' }), fields: closed, missing: [] }
}

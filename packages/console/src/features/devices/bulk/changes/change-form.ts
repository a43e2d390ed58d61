import type { ReactNode } from 'react'
import type { BulkOperationInput } from '../../../../graphql/schema-types.generated.ts'

/** The properties of the forms for the kinds of changes. */
export interface ChangeFormProps {
  /** The field for the action, which each form shows first. */
  children: ReactNode
  onClose(): void
  /** Creates a job with a name and an operation, and opens its preview. */
  onSubmit(name: string, operation: BulkOperationInput): Promise<void>
}

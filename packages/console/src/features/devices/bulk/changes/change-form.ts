import type { ReactNode } from 'react'
import type { BulkOperationInput } from '../../../../graphql/schema-types.generated.ts'

export interface ChangeFormProps {
  /** The field for the action, which each form shows first. */
  children: ReactNode
  onClose(): void
  onSubmit(name: string, operation: BulkOperationInput): Promise<void>
}

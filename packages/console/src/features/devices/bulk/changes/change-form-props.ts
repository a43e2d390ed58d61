import type { ReactNode } from 'react'
import type { BulkOperationInput } from '../../../../graphql/schema-types.generated.ts'

export interface ChangeFormProps {
  children: ReactNode
  onClose(): void
  onSubmit(name: string, operation: BulkOperationInput): Promise<void>
}

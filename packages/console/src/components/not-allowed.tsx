import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Permission } from '../graphql/schema-types.generated.ts'
import { EmptyState } from './empty-state.tsx'

interface NotAllowedProps {
  /** The user needs one of these permissions. Empty if the cause is not a missing permission. */
  permissions: readonly Permission[]
  children: ReactNode
}

export function NotAllowed({ permissions, children }: NotAllowedProps) {
  const missing = permissions.length === 0 ? '' : ` You need the permission ${permissions.join(' or ')}.`
  return (
    <EmptyState icon={<IconLock size={22} />} title="Your role does not allow this">
      {children}
      {missing} Ask an admin of the account.
    </EmptyState>
  )
}

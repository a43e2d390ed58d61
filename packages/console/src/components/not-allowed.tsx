import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { EmptyState } from './empty-state.tsx'

/** Replaces a page that the user's role does not allow. The children say what the user cannot do or which permission is missing. */
export function NotAllowed({ children }: { children: ReactNode }) {
  return (
    <EmptyState icon={<IconLock size={22} />} title="Your role does not allow this">
      {children} Ask one of the admins of the account.
    </EmptyState>
  )
}

import { IconMapQuestion } from '@tabler/icons-react'
import { EmptyState } from '../components/empty-state.tsx'
import { RouterButton } from './links.tsx'

export function NotFoundPage() {
  return (
    <EmptyState
      icon={<IconMapQuestion size={24} />}
      title="Page not found"
      action={<RouterButton to="/devices">Go to the devices</RouterButton>}
    >
      The address may contain a mistake, or the page no longer exists.
    </EmptyState>
  )
}

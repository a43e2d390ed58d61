import { IconMapQuestion } from '@tabler/icons-react'
import { EmptyState } from '../components/empty-state.tsx'
import { RouterButton } from './links.tsx'

export function NotFoundPage() {
  return (
    <EmptyState
      icon={<IconMapQuestion size={24} />}
      title="There is no such page"
      action={<RouterButton to="/devices">Go to the devices</RouterButton>}
    >
      The address may have a mistake in it, or what was here is gone.
    </EmptyState>
  )
}

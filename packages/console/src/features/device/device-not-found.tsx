import { IconDeviceUnknown } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { RouterButton } from '../../app/links.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { BackToList } from './back-to-list.tsx'

export function DeviceNotFound({ what, children }: { what: 'device' | 'service'; children?: ReactNode }) {
  return (
    <>
      <BackToList />
      <PageHeader title={what === 'device' ? 'Device not found' : 'Service not found'} />
      <EmptyState
        icon={<IconDeviceUnknown />}
        title={`No ${what} with this ID was found`}
        action={children ?? <RouterButton to="/devices">Show all devices</RouterButton>}
      >
        The address may be incomplete, the {what} may have been deleted, or your role may not allow you to see it.
      </EmptyState>
    </>
  )
}

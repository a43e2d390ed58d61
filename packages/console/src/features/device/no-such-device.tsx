import { IconDeviceUnknown } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { RouterButton } from '../../app/links.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { BackToList } from './back-to-list.tsx'

/** For an id that is none of the person's, whoever's it may be. */
export function NoSuchDevice({ what, children }: { what: 'device' | 'service'; children?: ReactNode }) {
  return (
    <>
      <BackToList />
      <PageHeader title={`No such ${what}`} />
      <EmptyState
        icon={<IconDeviceUnknown />}
        title={`There is no ${what} with this id in your account`}
        action={children ?? <RouterButton to="/devices">Look through your devices</RouterButton>}
      >
        It may have been deleted, or the address is not complete.
      </EmptyState>
    </>
  )
}

import { Breadcrumbs } from '@mantine/core'
import { RouterAnchor } from '../../app/links.tsx'
import { BackToList } from './back-to-list.tsx'

export function ServiceBreadcrumbs({ device }: { device: { id: string; name: string } }) {
  return (
    <Breadcrumbs fz="sm" style={{ flexWrap: 'wrap' }}>
      <BackToList />
      <RouterAnchor
        to="/devices/$deviceId"
        params={{ deviceId: device.id }}
        search={{ tab: 'services' }}
        size="sm"
        style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}
      >
        {device.name}
      </RouterAnchor>
    </Breadcrumbs>
  )
}

import { Badge, Tooltip } from '@mantine/core'
import { useLiveStatus } from '../graphql/live-events.ts'

export function LiveStatusBadge() {
  const status = useLiveStatus()
  if (status !== 'reconnecting') return null
  return (
    <Tooltip label="The console is not receiving live updates. Until it reconnects to the server, this page may be outdated.">
      <Badge color="orange" variant="light" tabIndex={0} role="status">
        Reconnecting
      </Badge>
    </Tooltip>
  )
}

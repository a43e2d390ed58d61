import { Badge, Tooltip } from '@mantine/core'
import { useLiveStatus } from '../graphql/use-live-events.ts'

/** Tells only when what is shown may be behind: live is what people expect. */
export function LiveSign() {
  const status = useLiveStatus()
  if (status !== 'broken') return null
  return (
    <Tooltip label="The connection to the server is broken. What you see may be behind; it catches up by itself.">
      <Badge color="orange" variant="light" tabIndex={0} role="status">
        Reconnecting
      </Badge>
    </Tooltip>
  )
}

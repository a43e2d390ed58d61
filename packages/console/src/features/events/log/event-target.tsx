import { Group, Text } from '@mantine/core'
import { RouterAnchor } from '../../../app/links.tsx'
import type { LoggedEvent } from './logged-event.ts'

type Target = LoggedEvent['target'][number]

/**
 * Devices, services, webhooks, and bulk jobs are links, unless the event deleted them or moved them to another account.
 */
export function EventTargets({ event }: { event: LoggedEvent }) {
  const { target } = event
  const device = target.find(({ kind }) => kind === 'device')
  return (
    <Group gap={4} style={{ overflowWrap: 'anywhere' }}>
      {target.map((each, index) => (
        <span key={`${each.kind} ${each.id}`}>
          {index === 0 ? null : <span aria-hidden="true">› </span>}
          <TargetLink target={each} device={device} isGone={isGone(event, each)} />
        </span>
      ))}
    </Group>
  )
}

const isGone = ({ type, data }: LoggedEvent, { kind }: Target): boolean =>
  (type === 'DEVICE_TRANSFER' && data.direction === 'out') ||
  (type === 'DEVICE_DELETE' && (kind === 'device' || kind === 'service')) ||
  (type === 'SERVICE_REMOVE' && kind === 'service') ||
  (type === 'WEBHOOK_DELETE' && kind === 'webhook')

interface TargetLinkProps {
  target: Target
  device: Target | undefined
  isGone: boolean
}

function TargetLink({ target: { kind, id, name }, device, isGone: gone }: TargetLinkProps) {
  if (gone) return <Text inherit>{name}</Text>
  if (kind === 'device')
    return (
      <RouterAnchor to="/devices/$deviceId" params={{ deviceId: id }} inherit>
        {name}
      </RouterAnchor>
    )
  if (kind === 'service' && device !== undefined)
    return (
      <RouterAnchor to="/devices/$deviceId/services/$serviceId" params={{ deviceId: device.id, serviceId: id }} inherit>
        {name}
      </RouterAnchor>
    )
  if (kind === 'webhook')
    return (
      <RouterAnchor to="/webhooks/$webhookId" params={{ webhookId: id }} inherit>
        {name}
      </RouterAnchor>
    )
  if (kind === 'bulkJob')
    return (
      <RouterAnchor to="/changes/$jobId" params={{ jobId: id }} inherit>
        {name}
      </RouterAnchor>
    )
  return <Text inherit>{name}</Text>
}

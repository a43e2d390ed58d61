import { Badge, Group, Text } from '@mantine/core'
import { IconCheck, IconClock, IconX } from '@tabler/icons-react'
import { eventLabel } from '../../../components/events/event-types.ts'
import { Time } from '../../../components/time.tsx'
import type { DeliveryFieldsFragment, WebhookFieldsFragment } from '../webhooks.generated.ts'

const appearances: Record<string, { color: string; Icon: typeof IconCheck }> = {
  delivered: { color: 'green', Icon: IconCheck },
  failed: { color: 'red', Icon: IconX },
  pending: { color: 'blue', Icon: IconClock },
}

export function DeliveryStatus({ status, httpStatus }: Pick<DeliveryFieldsFragment, 'status' | 'httpStatus'>) {
  const { color, Icon } = appearances[status] ?? { color: 'gray', Icon: IconClock }
  return (
    <Group gap={6} wrap="nowrap" style={{ flexShrink: 0 }}>
      <Badge color={color} miw="max-content" leftSection={<Icon size={12} aria-hidden="true" />}>
        {status}
      </Badge>
      {httpStatus === null ? null : (
        <Text span inherit c="dimmed">
          {httpStatus}
        </Text>
      )}
    </Group>
  )
}

interface NextAttemptProps {
  delivery: DeliveryFieldsFragment
  webhook: WebhookFieldsFragment
}

export function NextAttempt({ delivery: { status, nextAttempt }, webhook }: NextAttemptProps) {
  const isHeldBack = status === 'pending' && (!webhook.enabled || webhook.paused !== null)
  if (isHeldBack) return <Text inherit>held back</Text>
  return <Time value={nextAttempt} none="none" />
}

/** Returns a label for the delivered event. For tests and deleted events, takes the type from the request body. */
export function deliverySubject({ event, request }: Pick<DeliveryFieldsFragment, 'event' | 'request'>): string {
  if (event !== null) return eventLabel(event.type)
  const type = bodyType(request)
  return type === 'webhook.test' ? 'Test' : (type ?? 'Deleted event')
}

function bodyType(request: string | null): string | undefined {
  try {
    const body: unknown = JSON.parse(request ?? '')
    const type = typeof body === 'object' && body !== null && 'type' in body ? body.type : undefined
    return typeof type === 'string' ? type : undefined
  } catch {
    return undefined
  }
}

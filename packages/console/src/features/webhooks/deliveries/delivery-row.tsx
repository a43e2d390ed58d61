import { ActionIcon, Stack, Table, Text } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { RouterAnchor } from '../../../app/links.tsx'
import { ListRow } from '../../../components/list-table.tsx'
import { Time } from '../../../components/time.tsx'
import type { DeliveryFieldsFragment, WebhookFieldsFragment } from '../webhooks.generated.ts'
import { DeliveryDetails } from './delivery-details.tsx'
import { DeliveryStatus, deliverySubject, NextAttempt } from './delivery-status.tsx'
import { RedeliverOne } from './redeliver-one.tsx'

interface DeliveryRowProps {
  delivery: DeliveryFieldsFragment
  webhook: WebhookFieldsFragment
  isOpen: boolean
  onToggle: () => void
}

export function DeliveryRow({ delivery, webhook, isOpen, onToggle }: DeliveryRowProps) {
  const subject = deliverySubject(delivery)
  const Icon = isOpen ? IconChevronDown : IconChevronRight
  return (
    <>
      <ListRow>
        <ActionIcon aria-label={`Details of ${subject}`} aria-expanded={isOpen} onClick={onToggle}>
          <Icon size={18} />
        </ActionIcon>
        <DeliveryStatus {...delivery} />
        {subject}
        <DeliveryTarget event={delivery.event} />
        {delivery.attempts}
        <Time value={delivery.created} />
        <NextAttempt delivery={delivery} webhook={webhook} />
      </ListRow>
      {isOpen ? (
        <Table.Tr>
          <Table.Td colSpan={7} bg="var(--mantine-color-body)">
            <Stack gap="sm" p="xs">
              <DeliveryDetails delivery={delivery} url={webhook.url} />
              <RedeliverOne delivery={delivery} webhook={webhook} />
            </Stack>
          </Table.Td>
        </Table.Tr>
      ) : null}
    </>
  )
}

function DeliveryTarget({ event }: Pick<DeliveryFieldsFragment, 'event'>) {
  const device = event?.target.find(({ kind }) => kind === 'device')
  if (device === undefined) return <Text inherit>{event?.target[0]?.name}</Text>
  return (
    <RouterAnchor to="/devices/$deviceId" params={{ deviceId: device.id }} inherit>
      {device.name}
    </RouterAnchor>
  )
}

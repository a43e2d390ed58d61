import { ActionIcon, Stack, Table, Text } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { RouterAnchor } from '../../../app/links.tsx'
import { Time } from '../../../components/time.tsx'
import type { DeliveryFieldsFragment, WebhookFieldsFragment } from '../webhooks.generated.ts'
import { DeliveryDetails } from './delivery-details.tsx'
import { DeliveryStatus, deliverySubject } from './delivery-status.tsx'
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
      <Table.Tr>
        <Table.Td>
          <ActionIcon aria-label={`Details of ${subject}`} aria-expanded={isOpen} onClick={onToggle}>
            <Icon size={18} />
          </ActionIcon>
        </Table.Td>
        <Table.Td>
          <DeliveryStatus {...delivery} />
        </Table.Td>
        <Table.Td>{subject}</Table.Td>
        <Table.Td>
          <DeliveryTarget event={delivery.event} />
        </Table.Td>
        <Table.Td>{delivery.attempts}</Table.Td>
        <Table.Td>
          <Time value={delivery.created} />
        </Table.Td>
        <Table.Td>
          <NextAttempt delivery={delivery} webhook={webhook} />
        </Table.Td>
      </Table.Tr>
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

function NextAttempt({ delivery: { status, nextAttempt }, webhook }: Pick<DeliveryRowProps, 'delivery' | 'webhook'>) {
  const isHeldBack = status === 'pending' && (!webhook.enabled || webhook.paused !== null)
  if (isHeldBack) return <Text inherit>held back</Text>
  return <Time value={nextAttempt} none="none" />
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

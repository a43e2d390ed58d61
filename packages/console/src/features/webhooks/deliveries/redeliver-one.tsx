import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconRepeat } from '@tabler/icons-react'
import { useAttempt } from '../../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { useChange } from '../../../graphql/use-change.ts'
import {
  type DeliveryFieldsFragment,
  RedeliverWebhookDocument,
  type WebhookFieldsFragment,
} from '../webhooks.generated.ts'

interface RedeliverOneProps {
  delivery: DeliveryFieldsFragment
  webhook: WebhookFieldsFragment
}

export function RedeliverOne({ delivery, webhook }: RedeliverOneProps) {
  const redeliver = useChange(RedeliverWebhookDocument, ['Webhook', 'WebhookDelivery'])
  const { attempt, isRunning, error } = useAttempt(async () => {
    await redeliver({ id: webhook.id, deliveryId: delivery.id })
    notifications.show({ message: 'Resending the delivery' })
  })
  return (
    <>
      <ErrorNotice error={error} title="The delivery was not resent" />
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRepeat size={14} />}
          loading={isRunning}
          onClick={attempt}
        >
          {delivery.status === 'pending' ? 'Retry now' : 'Resend'}
        </Button>
      </Group>
    </>
  )
}

import { Select, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { RedeliverWebhookDocument } from './webhooks.generated.ts'

/** Hours back; deliveries are kept for 30 days. */
const spans = [
  { value: '1', label: 'in the last hour' },
  { value: '24', label: 'in the last day' },
  { value: '168', label: 'in the last 7 days' },
  { value: '744', label: 'at any time' },
]

const HOUR_MS = 3_600_000

export function RedeliverFailed({ id }: { id: string }) {
  const redeliver = useChange(RedeliverWebhookDocument, ['Webhook', 'WebhookDelivery'])
  const [hours, setHours] = useState('744')
  const run = async (): Promise<void> => {
    const since = new Date(Date.now() - Number(hours) * HOUR_MS).toISOString()
    const { redeliver: count } = await redeliver({ id, since })
    notifications.show({
      message: count === 0 ? 'None failed since then.' : `Sending ${count.toLocaleString()} again.`,
    })
  }
  return (
    <ConfirmButton
      size="xs"
      label="Send all failed again"
      title="Send all failed again?"
      confirm="Send again"
      onConfirm={run}
    >
      <Stack>
        Receivers see the same webhook-id as before, so that they can tell what they have already.
        <Select
          label="Deliveries made"
          data={spans}
          value={hours}
          allowDeselect={false}
          onChange={(value) => setHours(value ?? '744')}
        />
      </Stack>
    </ConfirmButton>
  )
}

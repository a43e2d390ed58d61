import { Select, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { ConfirmButton } from '../../../components/dialogs/confirm-button.tsx'
import { useChange } from '../../../graphql/use-change.ts'
import { RedeliverWebhookDocument } from '../webhooks.generated.ts'

/** Time spans in hours. The longest, 31 days, includes all deliveries, because the server keeps them for 30 days. */
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
      message:
        count === 0
          ? 'There are no failed deliveries that were created in this period.'
          : `Resending ${count.toLocaleString()} ${count === 1 ? 'delivery' : 'deliveries'}.`,
    })
  }
  return (
    <ConfirmButton size="xs" label="Resend failed" title="Resend failed deliveries?" confirm="Resend" onConfirm={run}>
      <Stack>
        Deliveries keep their webhook-id, so receivers can recognize deliveries that they already have.
        <Select
          label="Deliveries created"
          data={spans}
          value={hours}
          allowDeselect={false}
          onChange={(value) => setHours(value ?? '744')}
        />
      </Stack>
    </ConfirmButton>
  )
}

import { Group, Stack, Table, Text, Tooltip } from '@mantine/core'
import { RouterAnchor } from '../../app/links.tsx'
import { eventLabel } from '../../components/events/event-types.ts'
import { ListRow } from '../../components/list-table.tsx'
import { Time } from '../../components/time.tsx'
import { DeliveryStatus } from './deliveries/delivery-status.tsx'
import { pauseReason } from './pauses.ts'
import { WebhookState } from './webhook-state.tsx'
import type { WebhooksQuery } from './webhooks.generated.ts'

type Row = NonNullable<WebhooksQuery['login']>['webhooks'][number]

export function WebhookRow({ webhook, since }: { webhook: Row; since: string | undefined }) {
  const { id, name, url, paused, enabled, newest, failed, created } = webhook
  const last = newest.items[0]
  return (
    <ListRow>
      <Table.Td maw={320}>
        <RouterAnchor to="/webhooks/$webhookId" params={{ webhookId: id }} inherit fw={500}>
          {name ?? url}
        </RouterAnchor>
        {name === null ? null : (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {url}
          </Text>
        )}
      </Table.Td>
      <Table.Td maw={240}>
        <Stack gap={2}>
          <WebhookState webhook={webhook} since={since} />
          {paused === null || !enabled ? null : (
            <Text size="xs" c="dimmed">
              {pauseReason(paused)}
            </Text>
          )}
        </Stack>
      </Table.Td>
      <Events events={webhook.events} />
      {last === undefined ? (
        <Text inherit c="dimmed">
          none yet
        </Text>
      ) : (
        <Group gap="xs" wrap="nowrap">
          <DeliveryStatus {...last} />
          <Time value={last.created} />
        </Group>
      )}
      {failed.total === 0 ? (
        '0'
      ) : (
        <RouterAnchor to="/webhooks/$webhookId" params={{ webhookId: id }} search={{ show: 'failed' }} inherit>
          {failed.total.toLocaleString()}
        </RouterAnchor>
      )}
      <Time value={created} />
    </ListRow>
  )
}

const SHOWN = 2

function Events({ events }: { events: Row['events'] }) {
  const labels = events.map(eventLabel)
  if (labels.length <= SHOWN) return <Text inherit>{labels.join(', ')}</Text>
  const rest = labels.length - SHOWN
  return (
    <Tooltip label={labels.join(', ')} multiline maw={320}>
      <Text inherit tabIndex={0}>
        {labels.slice(0, SHOWN).join(', ')} and {rest} more
      </Text>
    </Tooltip>
  )
}

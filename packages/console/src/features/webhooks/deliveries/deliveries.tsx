import { Button, Group, SegmentedControl, Text, Title } from '@mantine/core'
import { IconMailbox, IconRefresh } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { ListTable, Paging } from '../../../components/list-table.tsx'
import { Loading } from '../../../components/loading.tsx'
import { useTypes } from '../../../graphql/use-change.ts'
import { usePolling } from '../../../hooks/use-polling.ts'
import { useUrlState } from '../../../hooks/use-url-state.ts'
import { WebhookDeliveriesDocument, type WebhookFieldsFragment } from '../webhooks.generated.ts'
import { DeliveryRow } from './delivery-row.tsx'
import { RedeliverFailed } from './redeliver-failed.tsx'

interface DeliveriesProps {
  webhook: WebhookFieldsFragment & { failed: { total: number } }
}

const POLL_INTERVAL_MS = 5000

const kinds = [
  { value: 'all', label: 'All' },
  { value: 'failed', label: 'Failed' },
  { value: 'others', label: 'Pending or delivered' },
]

const columns = ['', 'Status', 'Event', 'Device', 'Attempts', 'Created', 'Next attempt']

export function Deliveries({ webhook }: DeliveriesProps) {
  const { id, failed } = webhook
  const [{ show, after, delivery: open }, change] = useUrlState('/shell/webhooks/$webhookId')
  const variables = { id, after: after ?? null, failed: show === undefined ? null : show === 'failed' }
  const context = useTypes('WebhookDelivery')
  const [{ data, error, stale }, refetch] = useQuery({ query: WebhookDeliveriesDocument, variables, context })
  const isNewest = after === undefined
  // Poll the newest page, because the server sends no live events about deliveries.
  usePolling(refetch, isNewest ? POLL_INTERVAL_MS : undefined)
  const page = data?.login?.webhooks[0]?.deliveries
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Group gap="sm" align="baseline">
          <Title order={2}>Deliveries</Title>
          {page === undefined ? null : <Text c="dimmed">{page.total.toLocaleString()}, kept for 30 days</Text>}
        </Group>
        <Group gap="xs">
          <SegmentedControl
            aria-label="Filter deliveries"
            size="xs"
            data={kinds}
            value={show ?? 'all'}
            onChange={(value) => change({ show: readFilter(value), after: undefined, delivery: undefined })}
          />
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            loading={stale && page === undefined}
            onClick={() => refetch({ requestPolicy: 'network-only' })}
          >
            Refresh
          </Button>
          {failed.total === 0 ? null : <RedeliverFailed id={id} />}
        </Group>
      </Group>
      <ErrorNotice error={error} title="The deliveries could not be loaded" onRetry={() => refetch()} />
      {page === undefined && error === undefined ? <Loading what="deliveries" /> : null}
      {page?.items.length === 0 ? <NoDeliveries isFiltered={show !== undefined || !isNewest} /> : null}
      {page === undefined || page.items.length === 0 ? null : (
        <ListTable label="Deliveries" columns={columns} minWidth={860}>
          {page.items.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              webhook={webhook}
              isOpen={open === delivery.id}
              onToggle={() => change({ delivery: open === delivery.id ? undefined : delivery.id }, { replace: true })}
            />
          ))}
        </ListTable>
      )}
      <Paging
        mt="xs"
        after={after}
        next={page?.hasMore ? page.cursor : undefined}
        onPage={(cursor) => change({ after: cursor, delivery: undefined })}
      />
    </section>
  )
}

const readFilter = (value: string): 'failed' | 'others' | undefined =>
  value === 'failed' || value === 'others' ? value : undefined

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState icon={<IconMailbox />} title="No matching deliveries" />
  return (
    <EmptyState icon={<IconMailbox />} title="No deliveries yet">
      The server sends each event that the webhook selects to the receiver. To check the receiver, send a test.
    </EmptyState>
  )
}

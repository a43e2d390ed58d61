import { Badge, Group, Select, Table, Text, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useQuery } from 'urql'
import { RouterAnchor } from '../../app/links.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { ListRow, ListTable, Paging } from '../../components/list-table.tsx'
import { Loading } from '../../components/loading.tsx'
import type { BulkItemStatus, BulkOutcome, BulkSkipReason } from '../../graphql/schema-types.generated.ts'
import { usePolling } from '../../hooks/use-polling.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { BulkItemsDocument, type BulkItemsQuery } from './bulk.generated.ts'
import { itemStatuses } from './bulk-search.ts'
import { ItemChanges } from './item-changes.tsx'
import { isDeletion, type Job } from './job-labels.ts'

type Item = NonNullable<BulkItemsQuery['login']>['bulkJob'][number]['items']['items'][number]

const BUSY_POLL_MS = 2000

const statuses: Record<BulkItemStatus, { label: string; color: string }> = {
  DONE: { label: 'Done', color: 'green' },
  FAILED: { label: 'Failed or rejected', color: 'red' },
  SKIPPED: { label: 'Skipped', color: 'orange' },
  UNCHANGED: { label: 'Unchanged', color: 'gray' },
  PENDING: { label: 'Pending', color: 'blue' },
}

const options = [
  { value: 'all', label: 'All' },
  ...itemStatuses.map((value) => ({ value, label: statuses[value].label })),
]

const columns = ['Device', 'Result', 'Changes', 'Reason']

export function JobItems({ job }: { job: Job }) {
  const { id, state } = job
  const [{ status, after }, change] = useUrlState('/shell/changes/$jobId')
  const variables = { id, status: status === undefined ? null : [status], after: after ?? null }
  const [{ data, error }, refetch] = useQuery({ query: BulkItemsDocument, variables })
  usePolling(refetch, state === 'RUNNING' ? BUSY_POLL_MS : undefined)
  useOnChange(`${state} ${job.token}`, () => refetch({ requestPolicy: 'network-only' }))
  const page = data?.login?.bulkJob[0]?.items
  return (
    <section>
      <Group justify="space-between" align="flex-end" mb="xs">
        <Group gap="sm" align="baseline">
          <Title order={2}>{job.started === null ? 'Devices in the preview' : 'Devices'}</Title>
          {page === undefined ? null : <Text c="dimmed">{page.total.toLocaleString()}</Text>}
        </Group>
        <Select
          label="Result"
          size="xs"
          allowDeselect={false}
          data={options}
          value={status ?? 'all'}
          onChange={(value) => change({ status: itemStatuses.find((each) => each === value), after: undefined })}
        />
      </Group>
      <ErrorNotice error={error} title="The devices could not be loaded" onRetry={() => refetch()} />
      {page === undefined && error === undefined ? <Loading what="devices" /> : null}
      {page?.items.length === 0 ? <Text c="dimmed">No devices</Text> : null}
      {page === undefined || page.items.length === 0 ? null : (
        <ListTable label="Devices" columns={columns} minWidth={760}>
          {page.items.map((item) => (
            <ItemRow key={item.device.id} item={item} deletes={isDeletion(job.operations)} />
          ))}
        </ListTable>
      )}
      <Paging
        mt="xs"
        labels={['First page', 'Next page']}
        after={after}
        next={page?.hasMore ? page.cursor : undefined}
        onPage={(cursor) => change({ after: cursor })}
      />
    </section>
  )
}

function useOnChange(key: string, changed: () => void): void {
  const last = useRef(key)
  useEffect(() => {
    if (last.current === key) return
    last.current = key
    changed()
  })
}

function ItemRow({ item, deletes }: { item: Item; deletes: boolean }) {
  const { changes, reason, code, message } = item
  // A deletion causes a conflict only if the device is active.
  const problem = deletes && code === 'CONFLICT' ? activeText : (message ?? code)
  return (
    <ListRow>
      <Table.Td maw={260}>
        <DeviceName item={item} />
      </Table.Td>
      <ItemResult item={item} />
      <Table.Td miw={240} maw={480}>
        <ItemChanges changes={changes} />
      </Table.Td>
      <Table.Td maw={320} style={{ overflowWrap: 'anywhere' }}>
        {reason === null ? problem : (message ?? reasonTexts[reason])}
      </Table.Td>
    </ListRow>
  )
}

function DeviceName({ item: { device, changes, status, reason } }: { item: Item }) {
  const name = device.name === '' ? device.id : device.name
  const isGone = reason === 'GONE' || (status === 'DONE' && changes.delete !== undefined)
  if (isGone)
    return (
      <Text span inherit style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
    )
  return (
    <RouterAnchor to="/devices/$deviceId" params={{ deviceId: device.id }} inherit style={{ overflowWrap: 'anywhere' }}>
      {name}
    </RouterAnchor>
  )
}

const outcomeTexts: Record<BulkOutcome, string> = {
  CHANGE: 'will change',
  REGISTER: 'will be registered',
  UNCHANGED: 'unchanged',
  REJECTED: 'rejected',
}

const reasonTexts: Record<BulkSkipReason, string> = {
  CHANGED_SINCE: 'The device has changed since the preview or, in an undo, since the undone job',
  GONE: 'The device no longer exists or is no longer accessible',
  NO_LONGER_MATCHES: 'The device no longer matches the filter',
}

const activeText = 'The device is active. To delete it, create a job that also deletes active devices.'

function ItemResult({ item: { status, outcome } }: { item: Item }) {
  const text = status === 'PENDING' || outcome === 'REJECTED' ? outcomeTexts[outcome] : status.toLowerCase()
  return (
    <Badge color={statuses[status].color} miw="max-content">
      {text}
    </Badge>
  )
}

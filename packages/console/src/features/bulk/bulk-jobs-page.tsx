import { Box, Table } from '@mantine/core'
import { IconStack2 } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { RouterAnchor, RouterButton } from '../../app/links.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { ListRow, ListTable, Paging } from '../../components/list-table.tsx'
import { Loading } from '../../components/loading.tsx'
import { NotAllowed } from '../../components/not-allowed.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Time } from '../../components/time.tsx'
import { useTypes } from '../../graphql/use-change.ts'
import { usePolling } from '../../hooks/use-polling.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { type BulkJobFieldsFragment, BulkJobsDocument } from './bulk.generated.ts'
import { countsText, sourceText } from './job-labels.ts'
import { hasProgress, JobProgressBar } from './job-progress.tsx'
import { isBusy, JobState } from './job-state.tsx'

const BUSY_POLL_MS = 2000
const IDLE_POLL_MS = 10_000

export function BulkJobsPage() {
  const { may } = useViewer()
  return (
    <>
      <PageHeader title="Bulk jobs">
        A bulk job changes many devices. To create one, select devices in the device list.
      </PageHeader>
      {may('DEVICE_READ') ? (
        <BulkJobs />
      ) : (
        <NotAllowed permissions={['DEVICE_READ']}>You cannot see devices or bulk jobs.</NotAllowed>
      )}
    </>
  )
}

const columns = ['Job', 'State', 'Progress', 'Devices', 'Started by', 'Rate', 'Created']

function BulkJobs() {
  const [{ after }, change] = useUrlState('/shell/changes')
  const context = useTypes('BulkJob')
  const [{ data, error }, refetch] = useQuery({
    query: BulkJobsDocument,
    variables: { after: after ?? null },
    context,
  })
  const page = data?.login?.bulkJobs
  usePolling(refetch, page?.items.some(({ state }) => isBusy(state)) ? BUSY_POLL_MS : IDLE_POLL_MS)
  return (
    <>
      <ErrorNotice error={error} title="The bulk jobs could not be loaded" onRetry={() => refetch()} />
      {page === undefined && error === undefined ? <Loading what="bulk jobs" /> : null}
      {page?.items.length === 0 ? (
        <EmptyState
          icon={<IconStack2 />}
          title="No bulk jobs yet"
          action={<RouterButton to="/devices">Select devices</RouterButton>}
        >
          Jobs appear here when you change many devices at once. The server keeps them for 30 days after they end.
        </EmptyState>
      ) : null}
      {page === undefined || page.items.length === 0 ? null : (
        <ListTable label="Bulk jobs" columns={columns} minWidth={960}>
          {page.items.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </ListTable>
      )}
      <Paging
        mt="xs"
        after={after}
        next={page?.hasMore ? page.cursor : undefined}
        onPage={(cursor) => change({ after: cursor })}
      />
    </>
  )
}

function JobRow({ job }: { job: BulkJobFieldsFragment }) {
  const { id, name, state, startedBy, createdBy, rate, created } = job
  return (
    <ListRow>
      <Table.Td maw={320}>
        <RouterAnchor to="/changes/$jobId" params={{ jobId: id }} inherit fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </RouterAnchor>
      </Table.Td>
      <JobState state={state} />
      {hasProgress(job) ? (
        <Box w={120}>
          <JobProgressBar job={job} />
        </Box>
      ) : null}
      {countsText(job)}
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {startedBy === null ? `created by ${sourceText(createdBy)}` : sourceText(startedBy)}
      </Table.Td>
      <Table.Td>{rate.toLocaleString()}/s</Table.Td>
      <Time value={created} />
    </ListRow>
  )
}

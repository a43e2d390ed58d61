import { Alert, Code, Stack, Text } from '@mantine/core'
import { IconInfoCircle, IconPlayerPause, IconStack2 } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { BackLink, RouterAnchor, RouterButton } from '../../app/links.tsx'
import { capitalize } from '../../components/capitalize.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { ProgressAnnouncer } from '../../components/progress-announcer.tsx'
import { Time } from '../../components/time.tsx'
import { useTypes } from '../../graphql/use-change.ts'
import { useLastValue } from '../../hooks/use-last-value.ts'
import { usePolling } from '../../hooks/use-polling.ts'
import { useViews } from '../views/use-views.ts'
import { BulkJobDocument } from './bulk.generated.ts'
import { JobActions } from './job-actions.tsx'
import { JobItems } from './job-items.tsx'
import { countsText, devicesText, type Job, operationsText, sourceText } from './job-labels.ts'
import { hasProgress, JobProgress, progressText } from './job-progress.tsx'
import { isBusy, JobState } from './job-state.tsx'
import { useMissingPermissions } from './use-job-permissions.ts'

const BUSY_POLL_MS = 1000
const IDLE_POLL_MS = 10_000

export function BulkJobPage() {
  const { jobId } = useParams({ from: '/shell/changes/$jobId' })
  return <LoadedJob key={jobId} id={jobId} />
}

function LoadedJob({ id }: { id: string }) {
  const context = useTypes('BulkJob')
  const [{ data, error }, refetch] = useQuery({ query: BulkJobDocument, variables: { id }, context })
  const found = useLastValue(data?.login?.bulkJob)
  const job = found?.[0]
  usePolling(refetch, job !== undefined && isBusy(job.state) ? BUSY_POLL_MS : IDLE_POLL_MS)
  return (
    <Stack>
      <div>
        <BackLink to="/changes">Bulk jobs</BackLink>
        {job === undefined ? <PageHeader title="Bulk job" /> : <JobHeader job={job} />}
        <ErrorNotice error={error} title="The bulk job could not be loaded" onRetry={() => refetch()} />
        {found === undefined && error === undefined ? <Loading what="bulk job" /> : null}
        {found?.length === 0 ? (
          <EmptyState
            icon={<IconStack2 />}
            title="Bulk job not found"
            action={<RouterButton to="/changes">Show all bulk jobs</RouterButton>}
          >
            The server keeps bulk jobs for 30 days after they end.
          </EmptyState>
        ) : null}
      </div>
      <ProgressAnnouncer text={job && progressText(job)} state={job?.state} />
      {job === undefined ? null : <JobBody job={job} />}
    </Stack>
  )
}

function JobHeader({ job }: { job: Job }) {
  const { name, state, created, createdBy, started, startedBy, finished, rate, undoOf, undoneBy } = job
  return (
    <PageHeader title={name} beside={<JobState state={state} />} actions={<JobActions job={job} />}>
      {operationsText(job)}, at most {devicesText(rate)} per second. Created <Time value={created} /> by{' '}
      {sourceText(createdBy)}.
      {started === null || startedBy === null ? null : (
        <>
          {' '}
          Started <Time value={started} /> by {sourceText(startedBy)}.
        </>
      )}
      {finished === null ? null : (
        <>
          {' '}
          Ended <Time value={finished} />.
        </>
      )}
      {undoOf === null ? null : (
        <>
          {' '}
          Undoes{' '}
          <RouterAnchor to="/changes/$jobId" params={{ jobId: undoOf.id }} inherit underline="always">
            {undoOf.name}
          </RouterAnchor>
          .
        </>
      )}
      {undoneBy === null ? null : (
        <>
          {' '}
          <RouterAnchor to="/changes/$jobId" params={{ jobId: undoneBy.id }} inherit underline="always">
            Show the job that undoes this job
          </RouterAnchor>
          .
        </>
      )}
    </PageHeader>
  )
}

function JobBody({ job }: { job: Job }) {
  const { state, stateReason, expires, target } = job
  const missing = useMissingPermissions(job)
  return (
    <>
      {missing.length === 0 ? null : (
        <Alert color="gray" icon={<IconInfoCircle />}>
          Your role does not allow you to control this job. You need the permission{missing.length > 1 ? 's' : ''}{' '}
          {missing.join(' and ')}.
        </Alert>
      )}
      {stateReason === null ? null : (
        <Alert color="orange" icon={<IconPlayerPause />} title={state === 'PAUSED' ? 'The job is paused' : undefined}>
          {capitalize(stateReason)}.
        </Alert>
      )}
      <JobTarget target={target} />
      {state === 'READY' ? (
        <Text>
          <b>Preview:</b> {countsText(job)}. Nothing has changed yet. The preview expires <Time value={expires} />.
        </Text>
      ) : null}
      {hasProgress(job) ? <JobProgress job={job} /> : null}
      {state === 'DRAFT' || state === 'PREVIEWING' ? null : <JobItems job={job} />}
    </>
  )
}

function JobTarget({ target: { where, view, context } }: { target: Job['target'] }) {
  const { views } = useViews('DEVICES')
  if (typeof where !== 'string' && typeof view !== 'string') return null
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      Devices
      {typeof view === 'string' ? (
        <>
          {' '}
          in the view <b>{views?.find(({ id }) => id === view)?.name ?? view}</b>
        </>
      ) : null}
      {typeof where === 'string' ? (
        <>
          {' '}
          that match <Code>{where}</Code>
        </>
      ) : null}
      {typeof context === 'string' ? (
        <>
          {' '}
          in the context <Code>{context}</Code>
        </>
      ) : null}
    </Text>
  )
}

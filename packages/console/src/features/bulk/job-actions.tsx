import { useNavigate } from '@tanstack/react-router'
import { ConfirmButton } from '../../components/dialogs/confirm-button.tsx'
import { useChange } from '../../graphql/use-change.ts'
import {
  CancelBulkDocument,
  PauseBulkDocument,
  PreviewBulkDocument,
  RetryBulkDocument,
  UndoBulkDocument,
} from './bulk.generated.ts'
import { StartButton } from './confirm-start.tsx'
import { devicesText, type Job } from './job-labels.ts'
import { ResumeButton } from './resume-button.tsx'
import { useMissingPermissions } from './use-job-permissions.ts'

export function JobActions({ job }: { job: Job }) {
  const missing = useMissingPermissions(job)
  if (missing.length > 0) return null
  const { state, counts, started, isUndoable, undoneBy } = job
  const isRunning = state === 'RUNNING' || state === 'PAUSED'
  const hasUndo = undoneBy !== null && ['PREVIEWING', 'READY', 'RUNNING', 'PAUSED'].includes(undoneBy.state)
  return (
    <>
      {state === 'RUNNING' ? <PauseButton id={job.id} /> : null}
      {state === 'PAUSED' ? <ResumeButton job={job} /> : null}
      {isRunning ? <CancelButton job={job} /> : null}
      {state === 'READY' || state === 'EXPIRED' ? <PreviewAgainButton id={job.id} /> : null}
      {started === null && ['DRAFT', 'PREVIEWING', 'READY'].includes(state) ? <DiscardButton id={job.id} /> : null}
      {state === 'READY' ? <StartButton job={job} /> : null}
      {started !== null && state !== 'RUNNING' && counts.failed + counts.skipped > 0 ? <RetryButton job={job} /> : null}
      {started !== null && !isRunning && isUndoable && counts.done > 0 && !hasUndo ? <UndoButton job={job} /> : null}
    </>
  )
}

function PauseButton({ id }: { id: string }) {
  const pause = useChange(PauseBulkDocument, ['BulkJob'])
  return (
    <ConfirmButton label="Pause" title="Pause the job" confirm="Pause job" onConfirm={() => pause({ id })}>
      The job pauses after the current batch. You can resume it later.
    </ConfirmButton>
  )
}

function CancelButton({ job: { id, isUndoable } }: { job: Job }) {
  const cancel = useChange(CancelBulkDocument, ['BulkJob'])
  return (
    <ConfirmButton
      label="Cancel job"
      title="Cancel the job"
      confirm="Cancel job"
      danger
      onConfirm={() => cancel({ id })}
    >
      The job ends after the current batch. Devices that it has changed stay changed.
      {isUndoable ? ' You can undo its changes afterward.' : ''}
    </ConfirmButton>
  )
}

function DiscardButton({ id }: { id: string }) {
  const cancel = useChange(CancelBulkDocument, ['BulkJob'])
  return (
    <ConfirmButton
      label="Discard"
      title="Discard the preview"
      confirm="Discard preview"
      onConfirm={() => cancel({ id })}
    >
      This cancels the job before it changes any device.
    </ConfirmButton>
  )
}

function PreviewAgainButton({ id }: { id: string }) {
  const preview = useChange(PreviewBulkDocument, ['BulkJob'])
  return (
    <ConfirmButton
      label="Preview again"
      title="Preview the changes again"
      confirm="Preview again"
      onConfirm={() => preview({ id })}
    >
      The server finds the devices again and reads their current values.
    </ConfirmButton>
  )
}

function RetryButton({ job: { id, counts } }: { job: Job }) {
  const retry = useChange(RetryBulkDocument, ['BulkJob'])
  const navigate = useNavigate()
  const open = async (): Promise<void> => {
    const { retryBulk } = await retry({ id })
    await navigate({ to: '/changes/$jobId', params: { jobId: retryBulk.id } })
  }
  return (
    <ConfirmButton label="Retry failures" title="Retry failed and skipped devices" confirm="Preview" onConfirm={open}>
      This creates a job for the {devicesText(counts.failed + counts.skipped)} that failed or were skipped, and opens
      its preview. No device is changed until you start that job.
    </ConfirmButton>
  )
}

function UndoButton({ job: { id, counts } }: { job: Job }) {
  const undo = useChange(UndoBulkDocument, ['BulkJob'])
  const navigate = useNavigate()
  const open = async (): Promise<void> => {
    const { undoBulk } = await undo({ id })
    await navigate({ to: '/changes/$jobId', params: { jobId: undoBulk.id } })
  }
  return (
    <ConfirmButton label="Undo" title="Undo the changes" confirm="Preview" onConfirm={open}>
      This creates a job that reverts the changes to {devicesText(counts.done)}, and opens its preview. The new job
      keeps values that have changed since this job ran. No device is changed until you start the new job.
    </ConfirmButton>
  )
}

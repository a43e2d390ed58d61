import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { type Outcome, triedRows } from '@muster/fleet-csv/import/outcome'
import { RouterAnchor } from '../../../app/links.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { ProgressAnnouncer } from '../../../components/progress-announcer.tsx'
import { InvalidRows } from './invalid-rows.tsx'
import type { ImportState } from './use-import.ts'

interface ImportProgressProps {
  state: Extract<ImportState, { outcome: Outcome }>
  onStop(): void
  onAnother(): void
  onClose(): void
}

export function ImportProgress({ state, onStop, onAnother, onClose }: ImportProgressProps) {
  const { outcome, prepared } = state
  const { plan, name } = prepared
  const isRunning = state.step === 'running'
  const toWrite = plan.creations.length + plan.updates.length
  const written = toWrite - (outcome.rows - triedRows(outcome))
  const text = isRunning
    ? `${written.toLocaleString()} of ${rowsText(toWrite)} processed${state.isStopping ? '; stopping after the current batch' : ''} …`
    : summary(outcome)
  return (
    <Stack gap="sm">
      <Progress
        value={toWrite === 0 ? 100 : (100 * written) / toWrite}
        animated={isRunning}
        aria-label={`${written.toLocaleString()} of ${rowsText(toWrite)}`}
      />
      <Text size="sm">{text}</Text>
      <ProgressAnnouncer text={text} state={state.step === 'running' && state.isStopping ? 'stopping' : state.step} />
      {isRunning && outcome.job !== undefined ? (
        <Text size="sm">
          If you leave this page, the server continues the import. The page of the{' '}
          <RouterAnchor to="/changes/$jobId" params={{ jobId: outcome.job }} inherit>
            bulk job
          </RouterAnchor>{' '}
          shows the result of each row.
        </Text>
      ) : null}
      {!isRunning && outcome.rows > triedRows(outcome) ? (
        <Text size="sm">
          {`${rowsText(outcome.rows - triedRows(outcome))} may not have been imported. Import the file again to continue.`}
        </Text>
      ) : null}
      <ErrorNotice error={outcome.stoppedBy} title="The import was interrupted" />
      {!isRunning && outcome.problems.length > 0 ? <InvalidRows problems={outcome.problems} fileName={name} /> : null}
      <Group justify="flex-end">
        {isRunning ? (
          <Button variant="default" disabled={state.isStopping} onClick={onStop}>
            Stop
          </Button>
        ) : (
          <>
            <Button variant="default" onClick={onAnother}>
              Import another file
            </Button>
            <Button onClick={onClose}>Close</Button>
          </>
        )}
      </Group>
    </Stack>
  )
}

const rowsText = (rows: number): string => `${rows.toLocaleString()} ${rows === 1 ? 'row' : 'rows'}`

function summary(outcome: Outcome): string {
  const { created, updated, unchanged, problems } = outcome
  const parts = [
    `${created.toLocaleString()} created`,
    `${updated.toLocaleString()} updated`,
    `${unchanged.toLocaleString()} unchanged`,
    ...(problems.length > 0 ? [`${problems.length.toLocaleString()} rejected`] : []),
  ]
  const isComplete = triedRows(outcome) === outcome.rows
  return `${isComplete ? '' : 'Stopped: '}${parts.join(', ')}.`
}

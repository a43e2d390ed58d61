import { Alert, Button, Group, List, Progress as ProgressBar, Stack, Text } from '@mantine/core'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import type { Progress } from './run-in-batches.ts'
import type { BulkState } from './use-bulk.ts'

interface BulkProgressProps {
  state: Exclude<BulkState, { step: 'ready' }>
  /** Past tense of the change, such as "changed" or "deleted". */
  verb: string
  onStop(): void
  onClose(): void
}

/** Shows the progress of a bulk change, and finally its result. */
export function BulkProgress({ state, verb, onStop, onClose }: BulkProgressProps) {
  const { done, failed, total } = state.progress
  const tried = done + failed.length
  return (
    <Stack gap="sm">
      <ProgressBar
        value={total === 0 ? 100 : (100 * tried) / total}
        aria-label={`${tried} of ${total}`}
        animated={state.step === 'running'}
      />
      <Text size="sm" role="status">
        {describe(state, verb)}
      </Text>
      {state.step === 'ended' && state.error !== undefined ? (
        <ErrorNotice error={state.error} title="The operation was interrupted" />
      ) : null}
      <Failures progress={state.progress} />
      <Group justify="flex-end">
        {state.step === 'running' ? (
          <Button variant="default" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button onClick={onClose}>Close</Button>
        )}
      </Group>
    </Stack>
  )
}

function describe(state: BulkProgressProps['state'], verb: string): string {
  const { done, failed, total } = state.progress
  const count = `${done.toLocaleString()} of ${total.toLocaleString()} ${verb}`
  if (state.step === 'running') return `${count} …`
  const failures = failed.length === 0 ? '' : `, ${failed.length.toLocaleString()} failed`
  const rest = total - done - failed.length
  if (rest === 0) return `${count}${failures}.`
  return `${state.isStopped ? 'Stopped: ' : ''}${count}${failures}, ${rest.toLocaleString()} unchanged.`
}

const SHOWN = 5

function Failures({ progress: { failed } }: { progress: Progress }) {
  if (failed.length === 0) return null
  const reasons = Map.groupBy(failed, ({ reason }) => reason)
  return (
    <Alert color="red" title={`${failed.length.toLocaleString()} failed`}>
      <List size="sm">
        {[...reasons].slice(0, SHOWN).map(([reason, each]) => (
          <List.Item key={reason}>
            {each.length.toLocaleString()} × {reason}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

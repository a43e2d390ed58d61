import { Badge } from '@mantine/core'
import type { BulkState } from '../../graphql/schema-types.generated.ts'

const colors: Record<BulkState, string> = {
  DRAFT: 'gray',
  PREVIEWING: 'blue',
  READY: 'blue',
  RUNNING: 'indigo',
  PAUSED: 'orange',
  DONE: 'green',
  CANCELED: 'gray',
  EXPIRED: 'gray',
  FAILED: 'red',
}

const words: Record<BulkState, string> = {
  DRAFT: 'draft',
  PREVIEWING: 'previewing',
  READY: 'ready to start',
  RUNNING: 'running',
  PAUSED: 'paused',
  DONE: 'done',
  CANCELED: 'canceled',
  EXPIRED: 'expired',
  FAILED: 'failed',
}

export const stateWord = (state: BulkState): string => words[state]

export const isBusy = (state: BulkState): boolean => state === 'RUNNING' || state === 'PREVIEWING'

export function JobState({ state }: { state: BulkState }) {
  return (
    <Badge color={colors[state]} miw="max-content">
      {words[state]}
    </Badge>
  )
}

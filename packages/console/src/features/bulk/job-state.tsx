import { Badge } from '@mantine/core'
import type { BulkState } from '../../graphql/schema-types.generated.ts'

const appearances: Record<BulkState, { word: string; color: string }> = {
  DRAFT: { word: 'draft', color: 'gray' },
  PREVIEWING: { word: 'previewing', color: 'blue' },
  READY: { word: 'ready to start', color: 'blue' },
  RUNNING: { word: 'running', color: 'indigo' },
  PAUSED: { word: 'paused', color: 'orange' },
  DONE: { word: 'done', color: 'green' },
  CANCELED: { word: 'canceled', color: 'gray' },
  EXPIRED: { word: 'expired', color: 'gray' },
  FAILED: { word: 'failed', color: 'red' },
}

export const stateWord = (state: BulkState): string => appearances[state].word

export const isBusy = (state: BulkState): boolean => state === 'RUNNING' || state === 'PREVIEWING'

export function JobState({ state }: { state: BulkState }) {
  const { word, color } = appearances[state]
  return (
    <Badge color={color} miw="max-content">
      {word}
    </Badge>
  )
}

import { Text } from '@mantine/core'
import { IconClockExclamation } from '@tabler/icons-react'
import { Time } from '../../components/time.tsx'
import type { StaleValue } from './use-stale-values.ts'

/** Shows in words that a value is stale and when it was last written, because color alone would not be accessible. */
export const StaleNote = ({ stale: { confirmed } }: { stale: StaleValue }) => (
  <Text component="span" display="block" size="xs" c="dimmed">
    <IconClockExclamation size={14} aria-hidden="true" style={{ verticalAlign: '-2px' }} /> Stale: last written{' '}
    <Time value={confirmed} />
  </Text>
)

import { Anchor, Button, Group, SegmentedControl, Text } from '@mantine/core'
import { IconZoomReset } from '@tabler/icons-react'
import { useState } from 'react'
import { errorText } from '../../../graphql/describe-error.ts'
import { durationOf, type HistogramProps, rangeText } from './describe-interval.ts'
import { HistogramBars } from './histogram-bars.tsx'
import { HistogramTable } from './histogram-table.tsx'

interface EventHistogramProps extends Omit<HistogramProps, 'intervals'> {
  /** Undefined until the server has counted the events. */
  intervals: HistogramProps['intervals'] | undefined
  error: Error | undefined
  onRetry(): void
  isNarrowed: boolean
}

export function EventHistogram({ intervals, error, onRetry, isNarrowed, onRange }: EventHistogramProps) {
  const [form, setForm] = useState('bars')
  if (error !== undefined)
    return (
      <Text c="dimmed" size="sm" mb="xs">
        The events could not be counted. {errorText(error)}{' '}
        <Anchor component="button" type="button" inherit onClick={onRetry}>
          Try again
        </Anchor>
      </Text>
    )
  const [first, last] = [intervals?.[0], intervals?.at(-1)]
  // Describe the middle interval, because the first and last intervals may be shorter.
  const typical = intervals?.[Math.floor(intervals.length / 2)]
  return (
    <section aria-label="Events over time" style={{ marginBottom: 'var(--mantine-spacing-sm)' }}>
      <Group justify="space-between" gap="xs" mb={4} mih={30}>
        <Text size="sm" c="dimmed">
          {first === undefined || last === undefined || typical === undefined
            ? ''
            : `${rangeText(first.from, last.until)}, in intervals of ${durationOf(typical)}`}
        </Text>
        <Group gap="xs">
          {isNarrowed ? (
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<IconZoomReset size={14} aria-hidden="true" />}
              onClick={() => onRange({ from: undefined, to: undefined })}
            >
              Show the last month
            </Button>
          ) : null}
          <SegmentedControl
            size="xs"
            aria-label="Format"
            value={form}
            onChange={setForm}
            data={[
              { value: 'bars', label: 'Bars' },
              { value: 'table', label: 'Table' },
            ]}
          />
        </Group>
      </Group>
      {form === 'bars' ? (
        <HistogramBars intervals={intervals ?? []} onRange={onRange} />
      ) : (
        <HistogramTable intervals={intervals ?? []} onRange={onRange} />
      )}
    </section>
  )
}

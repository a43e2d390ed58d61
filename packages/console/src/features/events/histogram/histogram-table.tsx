import { Anchor, Text } from '@mantine/core'
import { ListRow, ListTable } from '../../../components/list-table.tsx'
import { type HistogramProps, rangeText } from './describe-interval.ts'

export function HistogramTable({ intervals, onRange }: HistogramProps) {
  const shown = intervals.filter(({ count }) => count > 0).toReversed()
  if (shown.length === 0) return <Text c="dimmed">No events.</Text>
  return (
    <div style={{ maxHeight: 280, overflowY: 'auto' }}>
      <ListTable label="Number of events" columns={['Time', 'Events']} minWidth={280}>
        {shown.map(({ from, until, count }) => (
          <ListRow key={from}>
            <Anchor component="button" type="button" size="sm" onClick={() => onRange({ from, to: until })}>
              {rangeText(from, until)}
            </Anchor>
            {count.toLocaleString()}
          </ListRow>
        ))}
      </ListTable>
    </div>
  )
}

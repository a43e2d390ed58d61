import { Anchor, Table, Text } from '@mantine/core'
import { ListTable } from '../../../components/list-table.tsx'
import { type HistogramProps, rangeText } from './describe-interval.ts'

export function HistogramTable({ intervals, onRange }: HistogramProps) {
  const shown = intervals.filter(({ count }) => count > 0).toReversed()
  if (shown.length === 0) return <Text c="dimmed">No events.</Text>
  return (
    <div style={{ maxHeight: 280, overflowY: 'auto' }}>
      <ListTable label="Number of events" columns={['Time', 'Events']} minWidth={280}>
        {shown.map(({ from, until, count }) => (
          <Table.Tr key={from}>
            <Table.Td>
              <Anchor component="button" type="button" size="sm" onClick={() => onRange({ from, to: until })}>
                {rangeText(from, until)}
              </Anchor>
            </Table.Td>
            <Table.Td>{count.toLocaleString()}</Table.Td>
          </Table.Tr>
        ))}
      </ListTable>
    </div>
  )
}

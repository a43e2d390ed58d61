import { SegmentedControl, Table, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { ListTable } from '../../components/list-table.tsx'
import { localTime } from '../../components/time.tsx'
import { isSpan, type SpanName } from './overview-search.ts'
import { Part } from './part.tsx'
import type { PresenceChart, PresencePoint } from './presence-chart.tsx'
import { loadChart } from './request-overview.ts'

interface OnlineOverTimeProps {
  points: readonly PresencePoint[] | undefined
  span: SpanName
  onSpan(span: SpanName): void
}

const CHART_HEIGHT = 240

export function OnlineOverTime({ points, span, onSpan }: OnlineOverTimeProps) {
  const [form, setForm] = useState('curve')
  const Chart = useChart()
  return (
    <Part
      title="Active devices"
      actions={
        <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
          <SegmentedControl
            size="xs"
            aria-label="Period"
            value={span}
            onChange={(value) => isSpan(value) && onSpan(value)}
            data={[
              { value: 'day', label: 'Day' },
              { value: 'week', label: 'Week' },
              { value: 'month', label: 'Month' },
            ]}
          />
          <SegmentedControl
            size="xs"
            aria-label="Format"
            value={form}
            onChange={setForm}
            data={[
              { value: 'curve', label: 'Curve' },
              { value: 'table', label: 'Table' },
            ]}
          />
        </div>
      }
    >
      <div style={{ minHeight: points?.length === 0 ? undefined : CHART_HEIGHT }}>
        {points === undefined ? null : points.length === 0 ? (
          <Text c="dimmed">
            The server counts the active devices every five minutes. There are no counts in this period yet.
          </Text>
        ) : form === 'table' ? (
          <PresenceTable points={points} />
        ) : Chart === undefined ? null : (
          <Chart points={points} span={span} height={CHART_HEIGHT} />
        )}
      </div>
    </Part>
  )
}

/**
 * Loads the code of the curve, which is large, and returns the component, or undefined until it is loaded. The page
 * would show a component in `Suspense` later, because React waits 300 ms between the first contents and the next.
 */
function useChart(): typeof PresenceChart | undefined {
  const [loaded, setLoaded] = useState<{ chart: typeof PresenceChart } | { error: unknown }>()
  useEffect(() => {
    loadChart().then(
      ({ PresenceChart: chart }) => setLoaded({ chart }),
      (error: unknown) => setLoaded({ error }),
    )
  }, [])
  if (loaded !== undefined && 'error' in loaded) throw loaded.error
  return loaded?.chart
}

function PresenceTable({ points }: { points: readonly PresencePoint[] }) {
  return (
    <div style={{ maxHeight: 360, overflowY: 'auto' }}>
      <ListTable label="Active devices" columns={['Time', 'Active', 'Fewest active', 'Devices']} minWidth={320}>
        {points.toReversed().map(({ at, online, minOnline, devices }) => (
          <Table.Tr key={at}>
            <Table.Td>{localTime(new Date(at))}</Table.Td>
            <Table.Td>{online.toLocaleString()}</Table.Td>
            <Table.Td>{minOnline.toLocaleString()}</Table.Td>
            <Table.Td>{devices.toLocaleString()}</Table.Td>
          </Table.Tr>
        ))}
      </ListTable>
    </div>
  )
}

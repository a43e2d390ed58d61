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
        ) : form === 'curve' ? (
          <Curve points={points} span={span} />
        ) : (
          <PresenceTable points={points} />
        )}
      </div>
    </Part>
  )
}

/**
 * Loads the code of the chart, which is large. Does not use `Suspense`, because React would show the chart later: it
 * waits 300 ms after it has shown any fallback.
 */
function Curve({ points, span }: { points: readonly PresencePoint[]; span: SpanName }) {
  const [loaded, setLoaded] = useState<{ Chart: typeof PresenceChart } | { error: unknown }>()
  useEffect(() => {
    loadChart().then(
      ({ PresenceChart: Chart }) => setLoaded({ Chart }),
      (error: unknown) => setLoaded({ error }),
    )
  }, [])
  if (loaded === undefined) return null
  if ('error' in loaded) throw loaded.error
  return <loaded.Chart points={points} span={span} height={CHART_HEIGHT} />
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

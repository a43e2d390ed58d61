import { Button, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useQuery } from 'urql'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { ListRow, ListTable } from '../../components/list-table.tsx'
import { duration, localTime } from '../../components/time.tsx'
import { useLastValue } from '../../hooks/use-last-value.ts'
import classes from './availability.module.css'
import { DeviceAvailabilityDocument, type DeviceAvailabilityQuery } from './device.generated.ts'

interface AvailabilityProps {
  device: { id: string; state: string; stateSince: string | null }
}

const spans = { '1': 'Day', '7': 'Week', '30': 'Month' }
const DAY_MS = 86_400_000

export function Availability({ device: { id, state, stateSince } }: AvailabilityProps) {
  const [days, setDays] = useState('7')
  const [isTable, setTable] = useState(false)
  const [opened] = useState(() => Date.now())
  const from = new Date(opened - Number(days) * DAY_MS).toISOString()
  const [{ data, error }, refetch] = useQuery({
    query: DeviceAvailabilityDocument,
    variables: { id: [id], from },
    requestPolicy: 'cache-and-network',
  })
  const change = `${state} ${stateSince}`
  const [shownChange, setShownChange] = useState(change)
  useEffect(() => {
    if (change === shownChange) return
    setShownChange(change)
    refetch({ requestPolicy: 'network-only' })
  }, [change, shownChange, refetch])
  const found = useLastValue(data?.login?.device[0]?.availability)
  return (
    <Paper withBorder p="sm" mb="md" component="section" aria-label="Availability">
      <Stack gap={6}>
        <Group justify="space-between" gap="xs">
          <Group gap="sm" align="baseline">
            <Title order={2} size="h5">
              Availability
            </Title>
            {found === undefined ? null : <Text size="sm">{describe(found)}</Text>}
          </Group>
          <Group gap="xs">
            <SegmentedControl
              size="xs"
              aria-label="Period"
              value={days}
              onChange={setDays}
              data={Object.entries(spans).map(([value, label]) => ({ value, label }))}
            />
            <Button size="compact-sm" variant="subtle" aria-expanded={isTable} onClick={() => setTable(!isTable)}>
              {isTable ? 'Hide table' : 'Show table'}
            </Button>
          </Group>
        </Group>
        <ErrorNotice error={error} title="The availability could not be loaded" onRetry={() => refetch()} />
        {found === undefined ? null : isTable ? <SegmentTable found={found} /> : <Timeline found={found} />}
      </Stack>
    </Paper>
  )
}

type Found = NonNullable<DeviceAvailabilityQuery['login']>['device'][number]['availability']

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 })

function describe({ share, outages, longestOutage, segments }: Found): string {
  if (segments.length === 0) return 'unknown for this period'
  const count = `${outages.toLocaleString()} ${outages === 1 ? 'outage' : 'outages'}`
  const longest = longestOutage === 0 ? '' : ` · longest time inactive ${duration(longestOutage * 1000)}`
  return `${percent.format(share)} active · ${count}${longest}`
}

/** Hides the drawing from screen readers, because the table has the same content. */
function Timeline({ found: { from, until, segments } }: { found: Found }) {
  const total = Date.parse(until) - Date.parse(from)
  return (
    <>
      <div className={classes.timeline} aria-hidden="true">
        {segments.map((segment) => (
          <div
            key={segment.from}
            data-state={segment.state}
            style={{ flexGrow: Math.max(1, Date.parse(segment.until) - Date.parse(segment.from)) / Math.max(1, total) }}
            title={`${segment.state}, ${localTime(new Date(segment.from))} to ${localTime(new Date(segment.until))}`}
          />
        ))}
      </div>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {localTime(new Date(from))}
        </Text>
        <Text size="xs" c="dimmed">
          {localTime(new Date(until))}
        </Text>
      </Group>
    </>
  )
}

function SegmentTable({ found: { segments } }: { found: Found }) {
  return (
    <div style={{ maxHeight: 320, overflowY: 'auto' }}>
      <ListTable label="Availability" columns={['From', 'Until', 'State', 'Duration']} minWidth={420}>
        {segments.toReversed().map(({ from, until, state }) => (
          <ListRow key={from}>
            {localTime(new Date(from))}
            {localTime(new Date(until))}
            {state}
            {duration(Date.parse(until) - Date.parse(from))}
          </ListRow>
        ))}
      </ListTable>
    </div>
  )
}

import '@mantine/charts/styles.css'
import { AreaChart } from '@mantine/charts'
import { localTime } from '../../components/time.tsx'
import type { OverviewQuery } from './overview.generated.ts'
import type { SpanName } from './overview-search.ts'

export type PresencePoint = NonNullable<NonNullable<OverviewQuery['login']>['presence']>[number]

interface PresenceChartProps {
  points: readonly PresencePoint[]
  span: SpanName
  height: number
}

/** The console loads this module separately, because the chart library is large. */
export function PresenceChart({ points, span, height }: PresenceChartProps) {
  const last = points.at(-1)
  return (
    <figure
      style={{ margin: 0 }}
      aria-label={`Active devices over the last ${span}. The latest count is ${last?.online} of ${last?.devices}.`}
    >
      <AreaChart
        h={height}
        data={withGaps(points)}
        dataKey="at"
        series={[
          { name: 'online', label: 'Active', color: 'teal.6' },
          { name: 'devices', label: 'Devices', color: 'gray.5' },
        ]}
        curveType="stepAfter"
        withDots={false}
        fillOpacity={0.15}
        connectNulls={false}
        areaProps={{ isAnimationActive: false }}
        tooltipAnimationDuration={0}
        valueFormatter={(value) => value.toLocaleString()}
        xAxisProps={{ tickFormatter: (at: string) => tick(new Date(at), span), minTickGap: 48 }}
        yAxisProps={{ allowDecimals: false, width: 56 }}
        tooltipProps={{ labelFormatter: (at) => (typeof at === 'string' ? localTime(new Date(at)) : '') }}
      />
    </figure>
  )
}

const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit' })
const date = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })

const tick = (at: Date, span: SpanName): string => ({ day: hour, week: day, month: date })[span].format(at)

type ChartPoint = Record<string, string | number | null>

/**
 * Adds a point without numbers wherever points are missing, for example while no server was running, so that the curve
 * has a gap.
 */
function withGaps(points: readonly PresencePoint[]): ChartPoint[] {
  return points.flatMap(({ at, online, devices }, index) => {
    const [before, now] = [points[index - 1], Date.parse(at)]
    const step = before === undefined ? 0 : now - Date.parse(before.at)
    const usual = index < 2 ? step : Date.parse(before!.at) - Date.parse(points[index - 2]!.at)
    const point = { at, online, devices }
    // Compare with the distance between the previous two points, because older points, which the server combines, are
    // farther apart.
    if (step <= Math.max(usual, MIN_GAP_MS) * 2) return [point]
    return [{ at: new Date(now - step / 2).toISOString(), online: null, devices: null }, point]
  })
}

const MIN_GAP_MS = 5 * 60_000

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
  const { ticks, format } = timeTicks(points)
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
        xAxisProps={{
          type: 'number',
          scale: 'time',
          domain: ['dataMin', 'dataMax'],
          ticks,
          tickFormatter: (at: number) => format.format(at),
          minTickGap: 48,
        }}
        yAxisProps={{ allowDecimals: false, width: 56 }}
        tooltipProps={{ labelFormatter: (at) => (typeof at === 'number' ? localTime(new Date(at)) : '') }}
      />
    </figure>
  )
}

const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const date = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })

const DAY_MINUTES = 24 * 60
/** The possible distances between ticks, in minutes. */
const STEPS = [5, 15, 60, 180, 360, 720, DAY_MINUTES, 2 * DAY_MINUTES, 5 * DAY_MINUTES]
const MAX_TICKS = 9

/**
 * Returns round local times for the axis. Without them, the chart library measures the text of every point's time,
 * which takes longer than drawing the curve.
 */
function timeTicks(points: readonly PresencePoint[]): { ticks: number[]; format: Intl.DateTimeFormat } {
  const [first, last] = [points[0], points.at(-1)].map((point) => Date.parse(point?.at ?? ''))
  const minutes = (last! - first!) / 60_000
  const step = STEPS.find((distance) => minutes / distance < MAX_TICKS) ?? STEPS.at(-1)!
  const midnight = new Date(first!).setHours(0, 0, 0, 0)
  const count = (minutes + DAY_MINUTES) / step + 1
  // `setMinutes` counts in local time, so daily ticks stay at midnight when daylight saving time begins or ends.
  const ticks = Array.from({ length: count }, (_, index) => new Date(midnight).setMinutes(index * step))
  return { ticks: ticks.filter((at) => at >= first! && at <= last!), format: step < DAY_MINUTES ? hour : date }
}

type ChartPoint = Record<string, number | null>

/**
 * Adds a point without numbers where points are missing after the second point, for example because no server was
 * running, so that the curve has a gap.
 */
function withGaps(points: readonly PresencePoint[]): ChartPoint[] {
  return points.flatMap(({ at, online, devices }, index) => {
    const [before, now] = [points[index - 1], Date.parse(at)]
    const step = before === undefined ? 0 : now - Date.parse(before.at)
    const usual = index < 2 ? step : Date.parse(before!.at) - Date.parse(points[index - 2]!.at)
    const point = { at: now, online, devices }
    // Compare with the distance between the previous two points, because older points, which the server combines, are
    // farther apart.
    if (step <= Math.max(usual, MIN_GAP_MS) * 2) return [point]
    return [{ at: now - step / 2, online: null, devices: null }, point]
  })
}

const MIN_GAP_MS = 5 * 60_000

import { Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useQuery } from 'urql'
import { RouterAnchor } from '../../app/links.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { NotAllowed } from '../../components/not-allowed.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Time } from '../../components/time.tsx'
import { useLiveEvents } from '../../graphql/live-events.ts'
import { useLastValue } from '../../hooks/use-last-value.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { NoDevices } from '../devices/no-devices.tsx'
import { useViewer } from '../user-settings/viewer.ts'
import { NewestEvents } from './newest-events.tsx'
import { OnlineByValue } from './online-by-value.tsx'
import { OnlineOverTime } from './online-over-time.tsx'
import {
  OverviewDocument,
  type OverviewQuery,
  OverviewTotalsDocument,
  type OverviewTotalsQuery,
} from './overview.generated.ts'
import { Part } from './part.tsx'
import { startOf } from './request-overview.ts'

/** How long the page waits after an event before it refreshes, so that many events cause only one refresh. */
const REFRESH_MS = 10_000

const AddDevice = lazy(async () => ({ default: (await import('../devices/add-device.tsx')).AddDevice }))

export function OverviewPage() {
  const { may } = useViewer()
  if (may('DEVICE_READ')) return <Overview />
  return (
    <>
      <PageHeader title="Overview" />
      <NotAllowed permissions={['DEVICE_READ']}>You cannot see devices.</NotAllowed>
    </>
  )
}

function Overview() {
  const { isRestrictedToDevices, canReadEvents } = useViewer()
  const [search, change] = useUrlState('/shell/overview')
  const [isAdding, setAdding] = useState(false)
  const span = search.span ?? 'day'
  const [opened] = useState(() => Date.now())
  // Read the cache first, because the route has just requested the data. Later, events refresh the data.
  const [totals, refetchTotals] = useQuery({ query: OverviewTotalsDocument, requestPolicy: 'cache-first' })
  const [{ data, error: listError }, refetch] = useQuery({
    query: OverviewDocument,
    variables: { from: startOf(span, opened) },
    requestPolicy: 'cache-first',
  })
  const refresh = (): void => {
    refetchTotals({ requestPolicy: 'network-only' })
    refetch({ requestPolicy: 'network-only' })
  }
  const version = useRefreshLater(refresh)
  const counted = useLastValue(totals.data?.login ?? undefined)
  const listed = useLastValue(data?.login ?? undefined)
  const error = totals.error ?? listError
  return (
    <>
      <PageHeader title="Overview" />
      <ErrorNotice error={error} title="The overview could not be loaded" onRetry={refresh} />
      {counted === undefined && error !== undefined ? null : counted?.deviceTotals.total === 0 ? (
        <NoDevices isFiltered={false} onClear={() => {}} onAdd={() => setAdding(true)} />
      ) : (
        <Stack gap="md">
          <Totals login={counted} />
          {/* These counts include all devices, so users who are restricted to some devices cannot see them. */}
          {isRestrictedToDevices ? null : (
            <OnlineOverTime
              points={data?.login?.presence ?? undefined}
              span={span}
              onSpan={(next) => change({ span: next === 'day' ? undefined : next })}
            />
          )}
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <OnlineByValue by={search.by} onBy={(by) => change({ by })} version={version} />
            <Stalest devices={listed?.stalest.items} />
          </SimpleGrid>
          {canReadEvents ? <NewestEvents /> : null}
        </Stack>
      )}
      {isAdding ? (
        <Suspense>
          <AddDevice
            onClose={() => {
              setAdding(false)
              refresh()
            }}
          />
        </Suspense>
      ) : null}
    </>
  )
}

/**
 * After live events or a gap in them, calls `refresh` with a delay of `REFRESH_MS`. Returns a number that changes after
 * each call.
 */
function useRefreshLater(refresh: () => void): number {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(refresh)
  latest.current = refresh
  const [version, setVersion] = useState(0)
  const later = (): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      latest.current()
      setVersion((before) => before + 1)
    }, REFRESH_MS)
  }
  useLiveEvents({ onEvents: later, onGap: later })
  useEffect(() => () => clearTimeout(timer.current), [])
  return version
}

type Counted = NonNullable<OverviewTotalsQuery['login']>
type Listed = NonNullable<OverviewQuery['login']>

/** Shows the tiles before their numbers are loaded, because other parts of the page may load sooner. */
function Totals({ login }: { login: Counted | undefined }) {
  const { total, active, inactive, neverReported } = login?.deviceTotals ?? {}
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="md" aria-busy={login === undefined}>
      <Total count={active} of={total} where="state = active" label="Active" />
      <Total count={inactive} where="state = inactive" label="Inactive" />
      <Total count={neverReported} where="NOT lastReported:*" label="Never reported" />
      <Total count={login?.registered.total} where="created > -7d" label="Registered in the last 7 days" />
    </SimpleGrid>
  )
}

interface TotalProps {
  /** Undefined until loaded. */
  count: number | undefined
  of?: number | undefined
  label: string
  where: string
}

function Total({ count, of, label, where }: TotalProps) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={28} fw={700} lh={1.3}>
        {count === undefined ? (
          <Text span inherit c="dimmed">
            …
          </Text>
        ) : (
          <RouterAnchor to="/devices" search={{ where }} inherit aria-label={`${label}: ${count.toLocaleString()}`}>
            {count.toLocaleString()}
          </RouterAnchor>
        )}
        {of === undefined ? null : (
          <>
            {' '}
            <Text span size="sm" fw={400} c="dimmed" style={{ whiteSpace: 'nowrap' }}>
              of{' '}
              <RouterAnchor to="/devices" inherit>
                {of.toLocaleString()}
              </RouterAnchor>
            </Text>
          </>
        )}
      </Text>
    </Paper>
  )
}

function Stalest({ devices }: { devices: Listed['stalest']['items'] | undefined }) {
  return (
    <Part
      title="Longest without a report"
      actions={
        <RouterAnchor to="/devices" search={{ where: 'lastReported:*', sort: 'lastReported asc' }} size="sm">
          Show all
        </RouterAnchor>
      }
    >
      {devices?.length === 0 ? <Text c="dimmed">No device has reported yet.</Text> : null}
      <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: 'none' }}>
        {devices?.map(({ id, name, lastReported }) => (
          <li key={id} style={{ display: 'flex', gap: 12, justifyContent: 'space-between' }}>
            <RouterAnchor to="/devices/$deviceId" params={{ deviceId: id }} truncate>
              {name}
            </RouterAnchor>
            <Time value={lastReported} />
          </li>
        ))}
      </Stack>
    </Part>
  )
}

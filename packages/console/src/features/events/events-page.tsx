import { Text } from '@mantine/core'
import { useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { NotAllowed } from '../../components/not-allowed.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { problemOf } from '../filters/filter-problem.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { type SavedView, useViews } from '../views/use-views.ts'
import { ViewTabs } from '../views/view-tabs.tsx'
import { CsvButton } from './csv-button.tsx'
import { type EventFilter, filterOf, filtersOf } from './events-search.ts'
import { EventFilters } from './filters/event-filters.tsx'
import { EventHistogram } from './histogram/event-histogram.tsx'
import { useEventCounts } from './histogram/use-event-counts.ts'
import { EventList } from './log/event-list.tsx'

export function EventsPage() {
  const { canReadEvents } = useViewer()
  if (canReadEvents) return <Events />
  return (
    <>
      <PageHeader title="Events" />
      <NotAllowed permissions={['EVENT_READ']}>You cannot see events.</NotAllowed>
    </>
  )
}

function Events() {
  const { views, error, retry } = useViews('EVENTS')
  if (views !== undefined) return <EventsOfAccount views={views} />
  if (error === undefined) return <Loading what="events" />
  return <ErrorNotice error={error} title="The events could not be loaded" onRetry={retry} />
}

function EventsOfAccount({ views }: { views: readonly SavedView[] }) {
  const [search, change, show] = useUrlState('/shell/events')
  const [isLive, setLive] = useState(true)
  const filter = filterOf(search)
  const { after } = search
  // Count in a separate query, so that the list does not wait for the counts.
  const { intervals, total, error, isCounting, retry } = useEventCounts(filter, isLive)
  const problem = problemOf(error)
  const view = views.find(({ id }) => id === search.view)
  const context = view?.context ?? undefined
  const { types, device, where } = search
  return (
    <>
      <PageHeader
        title="Events"
        beside={<Total filter={filter} total={total} />}
        actions={problem === undefined ? <CsvButton filter={filter} /> : null}
      />
      <ViewTabs
        kind="EVENTS"
        views={views}
        view={view}
        content={{
          filters: [view?.where ?? undefined, ...filtersOf(search)],
          context,
          sortBy: [],
          note: 'The view does not store the time range.',
        }}
        isChanged={types !== undefined || device !== undefined || where !== undefined}
        onShow={(id) => show(id === undefined ? {} : { view: id })}
      />
      <EventFilters search={search} context={context} isBusy={isCounting} problem={problem} onChange={change} />
      {problem === undefined ? (
        <>
          <EventHistogram
            intervals={intervals}
            error={error}
            onRetry={retry}
            isNarrowed={search.from !== undefined || search.to !== undefined}
            onRange={(range) => change({ ...range, after: undefined })}
          />
          <EventList
            key={JSON.stringify([filter, after])}
            filter={filter}
            after={after}
            isLive={isLive}
            onLive={setLive}
            onPage={(next) => change({ after: next })}
          />
        </>
      ) : null}
    </>
  )
}

function Total({ filter, total }: { filter: EventFilter; total: number | undefined }) {
  if (total === undefined) return null
  return (
    <Text c="dimmed" role="status">
      {total.toLocaleString()}
      {filter.minDate === undefined
        ? filter.maxDate === undefined
          ? ' in the last month'
          : ' in the month before the selected time'
        : ''}
    </Text>
  )
}

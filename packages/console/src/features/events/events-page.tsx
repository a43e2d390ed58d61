import { Text } from '@mantine/core'
import { useState } from 'react'
import { PageHeader } from '../../components/page-header.tsx'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { problemOf } from '../filters/filter-problem.ts'
import { CsvButton } from './csv-button.tsx'
import { type EventFilter, filterOf } from './events-search.ts'
import { EventFilters } from './filters/event-filters.tsx'
import { EventHistogram } from './histogram/event-histogram.tsx'
import { useEventCounts } from './histogram/use-event-counts.ts'
import { EventList } from './log/event-list.tsx'

export function EventsPage() {
  const [search, change] = useUrlState('/shell/events')
  const [isLive, setLive] = useState(true)
  const filter = filterOf(search)
  const { after } = search
  // Counts in a separate query, so that the list does not wait for the counts.
  const { intervals, total, error, isCounting, retry } = useEventCounts(filter, isLive)
  const problem = problemOf(error)
  return (
    <>
      <PageHeader
        title="Events"
        beside={<Total filter={filter} total={total} />}
        actions={problem === undefined ? <CsvButton filter={filter} /> : null}
      />
      <EventFilters search={search} isBusy={isCounting} problem={problem} onChange={change} />
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
          : ' in the month before'
        : ''}
    </Text>
  )
}

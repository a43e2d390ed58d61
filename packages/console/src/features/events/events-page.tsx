import { Text } from '@mantine/core'
import { useState } from 'react'
import { useQuery } from 'urql'
import { PageHeader } from '../../components/page-header.tsx'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { problemOf } from '../filters/filter-problem.ts'
import { CsvButton } from './csv-button.tsx'
import { EventFilters } from './event-filters.tsx'
import { EventList } from './event-list.tsx'
import { EventTotalDocument } from './events.generated.ts'
import { type EventFilter, filterOf } from './events-search.ts'

export function EventsPage() {
  const [search, change] = useUrlState('/shell/events')
  const [isLive, setLive] = useState(true)
  const filter = filterOf(search)
  const { after } = search
  // A separate query, so that the list does not wait for the count.
  const [{ data, error, fetching }] = useQuery({ query: EventTotalDocument, variables: { ...filter } })
  const problem = problemOf(error)
  return (
    <>
      <PageHeader
        title="Events"
        beside={<Total filter={filter} total={data?.login?.events.total} />}
        // Downloads do not support the filter language.
        actions={filter.where === undefined ? <CsvButton filter={filter} /> : null}
      />
      <EventFilters search={search} isBusy={fetching} problem={problem} onChange={change} />
      {problem === undefined ? (
        <EventList
          key={JSON.stringify([filter, after])}
          filter={filter}
          after={after}
          isLive={isLive}
          onLive={setLive}
          onPage={(next) => change({ after: next })}
        />
      ) : null}
    </>
  )
}

function Total({ filter, total }: { filter: EventFilter; total: number | undefined }) {
  if (total === undefined) return null
  return (
    <Text c="dimmed">
      {total.toLocaleString()}
      {filter.minDate === undefined
        ? filter.maxDate === undefined
          ? ' in the last month'
          : ' in the month before'
        : ''}
    </Text>
  )
}

import { Text } from '@mantine/core'
import { useState } from 'react'
import { useQuery } from 'urql'
import { PageHeader } from '../../components/page-header.tsx'
import { useUrlState } from '../../hooks/use-url-state.ts'
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
  return (
    <>
      <PageHeader title="Events" beside={<Total filter={filter} />} actions={<CsvButton filter={filter} />} />
      <EventFilters search={search} onChange={change} />
      <EventList
        key={JSON.stringify([filter, after])}
        filter={filter}
        after={after}
        isLive={isLive}
        onLive={setLive}
        onPage={(next) => change({ after: next })}
      />
    </>
  )
}

/** A separate query, so that the list does not wait for the count. */
function Total({ filter }: { filter: EventFilter }) {
  const [{ data }] = useQuery({ query: EventTotalDocument, variables: { ...filter } })
  const total = data?.login?.events.total
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

import { Button, Group, MultiSelect } from '@mantine/core'
import { IconFilterOff } from '@tabler/icons-react'
import { eventTypeOptions, isEventType } from '../../components/event-types.ts'
import classes from '../../components/filters.module.css'
import { DeviceFilter } from './device-filter.tsx'
import { type EventsSearch, filterOf, isFiltered } from './events-search.ts'
import { MomentFilter } from './moment-filter.tsx'

interface EventFiltersProps {
  search: EventsSearch
  onChange: (patch: Partial<EventsSearch>) => void
}

export function EventFilters({ search, onChange }: EventFiltersProps) {
  const { types = [], device = [], from, to } = search
  // Another choice begins with its newest event.
  const choose = (patch: Partial<EventsSearch>): void => onChange({ ...patch, after: undefined })
  return (
    <Group gap="xs" mb="xs" role="search" aria-label="Filter events" className={classes.filters}>
      <MultiSelect
        aria-label="Event type"
        placeholder={types.length === 0 ? 'Any event' : undefined}
        data={eventTypeOptions}
        value={types}
        onChange={(chosen) => choose({ types: orNone(chosen.filter(isEventType)) })}
        searchable
        clearable
        miw={190}
        maw={420}
      />
      <DeviceFilter value={device} onChange={(chosen) => choose({ device: orNone(chosen) })} />
      <MomentFilter label="From" value={from} onChange={(value) => choose({ from: value })} />
      <MomentFilter label="To" value={to} onChange={(value) => choose({ to: value })} />
      {isFiltered(filterOf(search)) ? (
        <Button
          variant="subtle"
          leftSection={<IconFilterOff size={16} />}
          onClick={() => choose({ types: undefined, device: undefined, from: undefined, to: undefined })}
        >
          Clear
        </Button>
      ) : null}
    </Group>
  )
}

const orNone = <Item,>(items: Item[]): Item[] | undefined => (items.length === 0 ? undefined : items)

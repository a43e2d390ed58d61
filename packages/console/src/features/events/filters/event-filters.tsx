import { Button, Group, MultiSelect } from '@mantine/core'
import { IconFilterOff } from '@tabler/icons-react'
import { eventTypeOptions, isEventType } from '../../../components/events/event-types.ts'
import classes from '../../../components/filters.module.css'
import { ConditionPills } from '../../filters/condition-pills.tsx'
import type { FilterProblem } from '../../filters/filter-problem.ts'
import { SearchBox } from '../../filters/search-box.tsx'
import { type EventsSearch, filterOf, isFiltered } from '../events-search.ts'
import { ActorFilter } from './actor-filter.tsx'
import { ChangedAttributeFilter } from './changed-attribute-filter.tsx'
import { DevicePicker } from './device-picker.tsx'
import { SourceFilter } from './source-filter.tsx'
import { TimeFilter } from './time-filter.tsx'

interface EventFiltersProps {
  search: EventsSearch
  context: string | undefined
  isBusy: boolean
  problem: FilterProblem | undefined
  onChange: (patch: Partial<EventsSearch>, options?: { replace?: boolean }) => void
}

export function EventFilters({ search, context, isBusy, problem, onChange }: EventFiltersProps) {
  const { types = [], device = [], from, to } = search
  // Remove the cursor, so that the list starts with the newest event after a filter changes.
  const changeFilter = (patch: Partial<EventsSearch>, options?: { replace?: boolean }): void =>
    onChange({ ...patch, after: undefined }, options)
  const changeWhere = (where: string | undefined): void => changeFilter({ where })
  return (
    <>
      <Group gap="xs" mb="xs" align="flex-start" role="search" aria-label="Filter events" className={classes.filters}>
        <SearchBox
          kind="EVENTS"
          label="Search events"
          placeholder="Name, or filter such as changed:site"
          where={search.where}
          context={context}
          isBusy={isBusy}
          problem={problem}
          onChange={(where, how) => changeFilter({ where }, how)}
        />
        <MultiSelect
          aria-label="Event type"
          placeholder={types.length === 0 ? 'Any event' : undefined}
          data={eventTypeOptions}
          value={types}
          onChange={(chosen) => changeFilter({ types: orUndefined(chosen.filter(isEventType)) })}
          searchable
          clearable
          miw={190}
          maw={420}
        />
        <DevicePicker value={device} onChange={(chosen) => changeFilter({ device: orUndefined(chosen) })} />
        <ChangedAttributeFilter where={search.where} onChange={changeWhere} />
        <ActorFilter where={search.where} onChange={changeWhere} />
        <SourceFilter where={search.where} onChange={changeWhere} />
        <TimeFilter label="From" value={from} onChange={(value) => changeFilter({ from: value })} />
        <TimeFilter label="To" value={to} onChange={(value) => changeFilter({ to: value })} />
        {isFiltered(filterOf({ ...search, view: undefined })) ? (
          <Button
            variant="subtle"
            leftSection={<IconFilterOff size={16} />}
            onClick={() =>
              changeFilter({ types: undefined, device: undefined, where: undefined, from: undefined, to: undefined })
            }
          >
            Clear
          </Button>
        ) : null}
      </Group>
      <ConditionPills where={search.where} context={undefined} onChange={({ where }) => changeFilter({ where })} />
    </>
  )
}

const orUndefined = <Item,>(items: Item[]): Item[] | undefined => (items.length === 0 ? undefined : items)

import { Group, MultiSelect, Select } from '@mantine/core'
import { useState } from 'react'
import classes from '../../../components/filters.module.css'
import { ConditionPills } from '../../filters/condition-pills.tsx'
import { chooseValues, valuesOf } from '../../filters/conditions.ts'
import type { FilterProblem } from '../../filters/filter-problem.ts'
import { SearchBox } from '../../filters/search-box.tsx'
import type { DevicesSearch } from '../devices-search.ts'
import type { ListOptions } from '../list-options.ts'
import { AddCondition } from './add-condition.tsx'
import { useKnownValues } from './use-known-values.ts'

interface DeviceFiltersProps {
  search: DevicesSearch
  /** The context in which the filter reads attributes, which the view may set. */
  context: string | undefined
  /** Whether the rows of a new filter or sort order are loading. */
  isBusy: boolean
  /** The server's error in `search.where`, if any. */
  problem: FilterProblem | undefined
  onChange(patch: Partial<DevicesSearch>, options?: { replace?: boolean }): void
  options: ListOptions
}

/** Shows the filter of the list as text, with controls that change it for users who do not type filters. */
export function DeviceFilters({ search, context, isBusy, problem, onChange, options }: DeviceFiltersProps) {
  const { where } = search
  const choose = (subject: string, values: string[]): void => onChange({ where: chooseValues(where, subject, values) })
  return (
    <>
      <Group gap="xs" mb="xs" align="flex-start" role="search" aria-label="Filter devices" className={classes.filters}>
        <SearchBox
          kind="DEVICES"
          label="Search devices"
          placeholder="Name, id, or filter such as site = oslo"
          where={where}
          context={context}
          isBusy={isBusy}
          problem={problem}
          onChange={(next, how) => onChange({ where: next }, how)}
        />
        <Select
          aria-label="State"
          placeholder="Any state"
          data={[
            { value: 'active', label: 'Active' },
            { value: 'inactive', label: 'Inactive' },
          ]}
          value={valuesOf(where, 'state')[0] ?? null}
          onChange={(state) => choose('state', state === null ? [] : [state])}
          clearable
          w={130}
        />
        <PlatformFilter value={valuesOf(where, 'platform')} onChange={(platforms) => choose('platform', platforms)} />
        <MultiSelect
          aria-label="Service type"
          placeholder={valuesOf(where, SERVICE_TYPE).length === 0 ? 'Any service' : undefined}
          data={options.applicationTypes.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={valuesOf(where, SERVICE_TYPE)}
          onChange={(types) => choose(SERVICE_TYPE, types)}
          searchable
          clearable
          w={160}
        />
        <AddCondition where={where} names={options.attributes} context={search.context} onChange={onChange} />
      </Group>
      <ConditionPills where={where} context={search.context} onChange={onChange} />
    </>
  )
}

const SERVICE_TYPE = 'services.application'

interface PlatformFilterProps {
  value: string[]
  onChange(platforms: string[]): void
}

/** Offers the platforms that devices use. */
function PlatformFilter({ value, onChange }: PlatformFilterProps) {
  const [isOpen, setOpen] = useState(false)
  const platforms = useKnownValues(isOpen ? 'platform' : undefined)
  return (
    <MultiSelect
      aria-label="Platform"
      placeholder={value.length === 0 ? 'Any platform' : undefined}
      // The filter can name a platform that no device uses anymore.
      data={[...new Set([...value, ...platforms])]}
      value={value}
      onChange={onChange}
      onDropdownOpen={() => setOpen(true)}
      nothingFoundMessage="No device has such a platform"
      searchable
      clearable
      w={160}
    />
  )
}

import { MultiSelect } from '@mantine/core'
import { useState } from 'react'
import { chooseValues, valuesOf } from '../../filters/conditions.ts'
import { ServiceTypeControl, StateControl } from '../../filters/state-and-type-controls.tsx'
import type { DevicesSearch } from '../devices-search.ts'
import type { ListOptions } from '../use-list-options.ts'
import { AddCondition } from './condition-popover.tsx'
import { useKnownValues } from './use-known-values.ts'

export interface FilterSelectsProps {
  search: DevicesSearch
  onChange(patch: Partial<DevicesSearch>): void
  options: ListOptions
}

/** The controls are in a separate module, so that the browser can show the list first. */
export function FilterSelects({ search, onChange, options }: FilterSelectsProps) {
  const { where } = search
  const choose = (next: string | undefined): void => onChange({ where: next })
  return (
    <>
      <StateControl where={where} onChange={choose} />
      <PlatformFilter
        value={valuesOf(where, 'platform')}
        onChange={(platforms) => choose(chooseValues(where, 'platform', platforms))}
      />
      <ServiceTypeControl
        where={where}
        onChange={choose}
        subject="services.application"
        types={options.applicationTypes}
        placeholder="Any service"
      />
      <AddCondition where={where} names={options.attributes} context={search.context} onChange={onChange} />
    </>
  )
}

function PlatformFilter({ value, onChange }: { value: string[]; onChange(platforms: string[]): void }) {
  const [isOpen, setOpen] = useState(false)
  const platforms = useKnownValues(isOpen ? 'platform' : undefined)
  return (
    <MultiSelect
      aria-label="Platform"
      placeholder={value.length === 0 ? 'Any platform' : undefined}
      // Include the chosen platforms, because the filter can name a platform that no device uses anymore.
      data={[...new Set([...value, ...platforms])]}
      value={value}
      onChange={onChange}
      onDropdownOpen={() => setOpen(true)}
      nothingFoundMessage="No matching platforms"
      searchable
      clearable
      w={160}
    />
  )
}

import { MultiSelect, Select } from '@mantine/core'
import { useState } from 'react'
import { chooseValues, valuesOf } from '../../filters/conditions.ts'
import type { DevicesSearch } from '../devices-search.ts'
import type { ListOptions } from '../list-options.ts'
import { AddCondition } from './add-condition.tsx'
import { useKnownValues } from './use-known-values.ts'

export interface FilterControlsProps {
  search: DevicesSearch
  onChange(patch: Partial<DevicesSearch>): void
  options: ListOptions
}

/**
 * Shows controls that change the filter for users who do not type filters. The controls are a separate module, so that
 * the browser can show the list first.
 */
export function FilterControls({ search, onChange, options }: FilterControlsProps) {
  const { where } = search
  const choose = (subject: string, values: string[]): void => onChange({ where: chooseValues(where, subject, values) })
  return (
    <>
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
      // Includes the chosen platforms, because the filter can name a platform that no device uses anymore.
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

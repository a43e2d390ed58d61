import { MultiSelect } from '@mantine/core'
import { useState } from 'react'
import { useAttributeNames } from '../../attributes/use-attribute-names.ts'
import { chooseValues, valuesOf } from '../../filters/conditions.ts'
import { labelOfName, useLabels } from '../../user-settings/labels.ts'
import type { ChoiceProps } from './choices.ts'

export function ChangedAttributeFilter({ where, onChange }: ChoiceProps) {
  const [isOpen, setOpen] = useState(false)
  const { names, error } = useAttributeNames({ pause: !isOpen })
  const labels = useLabels()
  const value = valuesOf(where, 'changed')
  // Include the chosen attributes, because the filter may name an attribute that devices no longer have.
  const options = [...new Set([...value, ...(names ?? []).map(({ name }) => name)])]
  return (
    <MultiSelect
      aria-label="Changed attribute"
      placeholder={value.length === 0 ? 'Any attribute' : undefined}
      data={options.map((name) => ({ value: name, label: labelOfName(name, labels) }))}
      value={value}
      onChange={(chosen) => onChange(chooseValues(where, 'changed', chosen))}
      onDropdownOpen={() => setOpen(true)}
      limit={100}
      nothingFoundMessage={names === undefined && error === undefined ? 'Loading…' : 'No matching attributes'}
      searchable
      clearable
      miw={160}
      maw={320}
    />
  )
}

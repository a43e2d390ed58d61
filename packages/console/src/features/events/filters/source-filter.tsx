import { Select } from '@mantine/core'
import type { sourceKinds } from '@muster/filter'
import { useState } from 'react'
import { useQuery } from 'urql'
import { EventKeysDocument } from '../events.generated.ts'
import { type ChoiceProps, choiceOf, withChoice } from './choices.ts'

const sources: readonly { kind: (typeof sourceKinds)[number]; label: string }[] = [
  { kind: 'console', label: 'Console' },
  { kind: 'accessKey', label: 'Any access key' },
  { kind: 'device', label: 'Device' },
  { kind: 'job', label: 'Bulk job' },
  { kind: 'server', label: 'Server' },
]

/** Filters events by a kind of source or by one access key. The key may no longer exist. */
export function SourceFilter({ where, onChange }: ChoiceProps) {
  const [isOpen, setOpen] = useState(false)
  const [ofKind, ofKey] = ['source', 'key'].map((subject) => choiceOf(where, subject))
  const value = ofKey?.startsWith('=') ? `key${ofKey}` : ofKind?.startsWith('=') ? `source${ofKind}` : null
  const chosen = value?.startsWith('key=') ? value.slice('key='.length) : undefined
  const [{ data }] = useQuery({ query: EventKeysDocument, pause: !isOpen && chosen === undefined })
  const keys = data?.login?.accessKeys ?? []
  const deleted = chosen === undefined || keys.some(({ key }) => key === chosen) ? [] : [{ key: chosen, name: null }]
  const choose = (choice: string | null): void => {
    const rest = withChoice(withChoice(where, 'source', null), 'key', null)
    const [subject, chosenValue] = choice === null ? ['source', null] : splitChoice(choice)
    onChange(withChoice(rest, subject, chosenValue))
  }
  return (
    <Select
      aria-label="Source"
      placeholder="Any source"
      data={[
        ...sources.map(({ kind, label }) => ({ value: `source=${kind}`, label })),
        ...[...deleted, ...keys].map(({ key, name }) => ({ value: `key=${key}`, label: `Key ${name || key}` })),
      ]}
      value={value}
      onChange={choose}
      onDropdownOpen={() => setOpen(true)}
      clearable
      searchable
      miw={150}
      maw={240}
    />
  )
}

/** Splits `key=MK1` into `key` and the choice `=MK1`. */
function splitChoice(choice: string): [subject: string, choice: string] {
  const index = choice.indexOf('=')
  return [choice.slice(0, index), choice.slice(index)]
}

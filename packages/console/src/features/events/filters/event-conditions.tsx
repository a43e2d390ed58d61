import { MultiSelect, Select } from '@mantine/core'
import type { sourceKinds } from '@muster/filter'
import { useState } from 'react'
import { useQuery } from 'urql'
import { useAttributeNames } from '../../attributes/use-attribute-names.ts'
import { chooseValues, conditionOn, replaceCondition, valuesOf } from '../../filters/conditions.ts'
import { labelOfName, useLabels } from '../../user-settings/labels.ts'
import { useViewer } from '../../user-settings/viewer.ts'
import { EventActorsDocument, EventKeysDocument } from '../events.generated.ts'

interface EventConditionsProps {
  where: string | undefined
  onChange(where: string | undefined): void
}

export function EventConditions(props: EventConditionsProps) {
  return (
    <>
      <ChangedAttribute {...props} />
      <Actor {...props} />
      <Source {...props} />
    </>
  )
}

function ChangedAttribute({ where, onChange }: EventConditionsProps) {
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

const ANY = 'any'
const NONE = 'none'

/** Returns the choice that matches the filter's condition on the subject, or null if no choice matches. */
function choiceOf(where: string | undefined, subject: string): string | null {
  const condition = conditionOn(where, subject)
  if (condition?.comparison === '*') return ANY
  if (condition?.comparison === '!*') return NONE
  return condition?.comparison === '=' && condition.values.length === 1 ? `=${condition.values[0]}` : null
}

function withChoice(where: string | undefined, subject: string, choice: string | null): string | undefined {
  if (choice === null) return replaceCondition(where, subject, undefined)
  if (choice === ANY) return replaceCondition(where, subject, { comparison: '*', values: [] })
  if (choice === NONE) return replaceCondition(where, subject, { comparison: '!*', values: [] })
  return replaceCondition(where, subject, { comparison: '=', values: [choice.slice(1)] })
}

function Actor({ where, onChange }: EventConditionsProps) {
  const { email, me, may } = useViewer()
  const [isOpen, setOpen] = useState(false)
  const maySeeMembers = may('AUDIT_READ') || may('MEMBER_MANAGE')
  const [{ data }] = useQuery({ query: EventActorsDocument, pause: !isOpen || !maySeeMembers })
  const value = choiceOf(where, 'actor')
  const members = data?.login?.members.map(({ person }) => person.email) ?? []
  const people = [
    ...new Set([me.person?.email ?? email, ...members, ...(value?.startsWith('=') ? [value.slice(1)] : [])]),
  ]
  return (
    <Select
      aria-label="Actor"
      placeholder="Any actor"
      data={[
        ...people.map((person) => ({ value: `=${person}`, label: person })),
        { value: ANY, label: 'Any user' },
        { value: NONE, label: 'No user' },
      ]}
      value={value}
      onChange={(choice) => onChange(withChoice(where, 'actor', choice))}
      onDropdownOpen={() => setOpen(true)}
      limit={100}
      clearable
      searchable
      miw={150}
      maw={240}
    />
  )
}

const sources: readonly { kind: (typeof sourceKinds)[number]; label: string }[] = [
  { kind: 'console', label: 'Console' },
  { kind: 'accessKey', label: 'Any access key' },
  { kind: 'device', label: 'Device' },
  { kind: 'job', label: 'Bulk job' },
  { kind: 'server', label: 'Server' },
]

/** Filters events by a kind of source or by one access key. The key may no longer exist. */
function Source({ where, onChange }: EventConditionsProps) {
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

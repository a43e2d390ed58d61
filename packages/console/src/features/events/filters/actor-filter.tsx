import { Select } from '@mantine/core'
import { useState } from 'react'
import { useQuery } from 'urql'
import { useViewer } from '../../user-settings/viewer.ts'
import { EventActorsDocument } from '../events.generated.ts'
import { ANY, type ChoiceProps, choiceOf, NONE, withChoice } from './choices.ts'

export function ActorFilter({ where, onChange }: ChoiceProps) {
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

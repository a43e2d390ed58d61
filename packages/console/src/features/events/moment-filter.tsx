import { TextInput } from '@mantine/core'
import { useState } from 'react'

interface MomentFilterProps {
  label: string
  /** As the API has it. */
  value: string | undefined
  onChange: (value: string | undefined) => void
}

/** A date and time in the person's zone. Takes effect when it is left: years are typed digit by digit. */
export function MomentFilter({ label, value, onChange }: MomentFilterProps) {
  const [typed, setTyped] = useState(() => fieldText(value))
  const [known, setKnown] = useState(value)
  if (known !== value) {
    setKnown(value)
    setTyped(fieldText(value))
  }
  const take = (): void => {
    if (typed !== fieldText(value)) onChange(typed === '' ? undefined : new Date(typed).toISOString())
  }
  return (
    <TextInput
      type="datetime-local"
      aria-label={label}
      leftSection={label}
      leftSectionWidth={48}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={take}
      onKeyDown={({ key }) => (key === 'Enter' ? take() : undefined)}
    />
  )
}

/** As the browser's field has it: local time without a zone. */
function fieldText(value: string | undefined): string {
  if (value === undefined) return ''
  const date = new Date(value)
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

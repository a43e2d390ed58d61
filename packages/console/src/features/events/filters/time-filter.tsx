import { TextInput } from '@mantine/core'
import { useState } from 'react'

interface TimeFilterProps {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}

/** Applies the value when the user presses Enter or leaves the field, because users type years digit by digit. */
export function TimeFilter({ label, value, onChange }: TimeFilterProps) {
  const [typed, setTyped] = useState(() => inputValue(value))
  const [known, setKnown] = useState(value)
  if (known !== value) {
    setKnown(value)
    setTyped(inputValue(value))
  }
  // Browsers accept more than four digits in a year, but the API and JavaScript do not.
  const isInvalid = typed !== '' && Number.isNaN(Date.parse(typed))
  const apply = (): void => {
    if (!isInvalid && typed !== inputValue(value)) onChange(typed === '' ? undefined : new Date(typed).toISOString())
  }
  return (
    <TextInput
      type="datetime-local"
      // Accept seconds if the value contains them, because a bar of the histogram can begin at any second.
      step={typed.length > 16 ? 1 : undefined}
      aria-label={label}
      leftSection={label}
      leftSectionWidth={48}
      value={typed}
      error={isInvalid ? 'Enter a year with four digits' : undefined}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={apply}
      onKeyDown={({ key }) => (key === 'Enter' ? apply() : undefined)}
    />
  )
}

/** Returns a time in the format of the browser's date and time input: local time without a time zone. */
function inputValue(value: string | undefined): string {
  if (value === undefined) return ''
  const date = new Date(value)
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, date.getTime() % 60_000 === 0 ? 16 : 19)
}

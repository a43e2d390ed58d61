import { Group, Select, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'

export interface ExpiryValue {
  /** Days from now; `never`; or `at`, with the time in `at`. */
  choice: string
  /** As the browser's date field writes it, in the person's zone. */
  at: string
}

export const noExpiry: ExpiryValue = { choice: 'never', at: '' }
export const inDays = (days: number): ExpiryValue => ({ choice: String(days), at: '' })

interface ExpiryProps {
  value?: ExpiryValue
  onChange: (value: ExpiryValue) => void
  error?: ReactNode
  /** Codes always expire, keys need not. */
  canBeNever?: boolean
}

const days = ['1', '7', '30', '90', '365']
const dayLabel = (day: string): string => (day === '1' ? 'in one day' : day === '365' ? 'in a year' : `in ${day} days`)

export function Expiry({ value = noExpiry, onChange, error, canBeNever = true }: ExpiryProps) {
  const data = [
    ...(canBeNever ? [{ value: 'never', label: 'never' }] : []),
    ...days.map((day) => ({ value: day, label: dayLabel(day) })),
    { value: 'at', label: 'at a time of my choice' },
  ]
  return (
    <Group align="flex-start" grow>
      <Select
        label="Expires"
        data={data}
        value={value.choice}
        allowDeselect={false}
        onChange={(choice) => onChange({ ...value, choice: choice ?? 'never' })}
      />
      {value.choice === 'at' ? (
        <TextInput
          type="datetime-local"
          label="Time"
          description="in your time zone"
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={value.at}
          error={error}
          onChange={({ currentTarget }) => onChange({ ...value, at: currentTarget.value })}
        />
      ) : null}
    </Group>
  )
}

/** A check for forms. */
export const expiryFrom =
  (now: Date) =>
  ({ choice, at }: ExpiryValue): string | null => {
    if (choice !== 'at') return null
    const date = new Date(at)
    if (Number.isNaN(date.getTime())) return 'Choose a date and a time'
    return date <= now ? 'This is in the past' : null
  }

/** As the API takes it; null for never. */
export function readExpiry({ choice, at }: ExpiryValue): string | null {
  if (choice === 'never') return null
  if (choice === 'at') return new Date(at).toISOString()
  return new Date(Date.now() + Number(choice) * 86_400_000).toISOString()
}

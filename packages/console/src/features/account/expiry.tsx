import { Group, Select, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'

export interface ExpiryValue {
  /** A number of days, `never`, or `at`, which means the time in the field `at`. */
  choice: string
  /** Time in the user's time zone and in the format of the browser's date and time input. */
  at: string
}

export const noExpiry: ExpiryValue = { choice: 'never', at: '' }
export const inDays = (days: number): ExpiryValue => ({ choice: String(days), at: '' })

interface ExpiryProps {
  value?: ExpiryValue
  onChange: (value: ExpiryValue) => void
  error?: ReactNode
  'data-path'?: string
  /** Whether the user can choose `never`. Default: true. False for keys and codes that must expire. */
  canBeNever?: boolean
}

const days = ['1', '7', '30', '90', '365']
const dayLabel = (day: string): string => (day === '365' ? 'in a year' : `in ${daysText(Number(day))}`)

export function Expiry({ value = noExpiry, onChange, error, canBeNever = true, ...input }: ExpiryProps) {
  const data = [
    ...(canBeNever ? [{ value: 'never', label: 'never' }] : []),
    ...days.map((day) => ({ value: day, label: dayLabel(day) })),
    { value: 'at', label: 'at a specific time' },
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
          data-path={input['data-path']}
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

export const daysText = (days: number): string => `${days.toLocaleString()} ${days === 1 ? 'day' : 'days'}`

export const checkExpiry =
  (now: Date) =>
  ({ choice, at }: ExpiryValue): string | null => {
    if (choice !== 'at') return null
    const date = new Date(at)
    if (Number.isNaN(date.getTime())) return 'Enter a date and a time'
    return date <= now ? 'Enter a time in the future' : null
  }

export function expiryTime({ choice, at }: ExpiryValue): string | null {
  if (choice === 'never') return null
  if (choice === 'at') return new Date(at).toISOString()
  return new Date(Date.now() + Number(choice) * 86_400_000).toISOString()
}

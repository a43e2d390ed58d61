import { Anchor, Box, Text } from '@mantine/core'
import { useState } from 'react'

interface LongTextProps {
  value: string
  /** Maximum number of lines of a long value to show until the user expands the value. Default: 3. */
  lines?: number
}

const LONG = 200

export function LongText({ value, lines = 3 }: LongTextProps) {
  const [open, setOpen] = useState(false)
  if (value === '') return <InlineText value={value} />
  const collapses = isLong(value, lines)
  return (
    <Box>
      <Text
        inherit
        component="div"
        ff={value.includes('\n') ? 'monospace' : undefined}
        lineClamp={collapses && !open ? lines : undefined}
        style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {value}
      </Text>
      {collapses ? (
        <Anchor component="button" type="button" size="xs" onClick={() => setOpen(!open)}>
          {open ? 'Show less' : `Show all (${value.length.toLocaleString()} characters)`}
        </Anchor>
      ) : null}
    </Box>
  )
}

export const InlineText = ({ value }: Pick<LongTextProps, 'value'>) =>
  value === '' ? (
    <Text span inherit c="dimmed" fs="italic">
      empty
    </Text>
  ) : (
    <span style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{value}</span>
  )

export const isLong = (value: string, lines: number): boolean => value.length > LONG || value.split('\n').length > lines

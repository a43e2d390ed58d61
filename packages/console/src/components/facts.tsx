import { Box, Group, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

interface Fact {
  label: string
  value: ReactNode
  /** Text that the fact's copy button copies. If omitted, the fact has no copy button. */
  copy?: string | undefined
}

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <Paper withBorder p="sm" mb="md">
      <Group component="dl" gap="8px 36px" align="flex-start" m={0}>
        {facts.map(({ label, value, copy }) => (
          <Box key={label} miw={0}>
            <Text component="dt" size="xs" c="dimmed">
              {label}
            </Text>
            <Group component="dd" gap={4} wrap="nowrap" m={0} fz="sm" style={{ overflowWrap: 'anywhere' }}>
              <Box miw={0}>{value}</Box>
              {copy === undefined ? null : <CopyButton value={copy} what={inSentence(label)} />}
            </Group>
          </Box>
        ))}
      </Group>
    </Paper>
  )
}

/** Returns a label for use within a sentence: `Hardware ID` becomes `hardware ID`, and `ID` remains unchanged. */
const inSentence = (label: string): string =>
  /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label

export const NoValue = () => (
  <Text span inherit c="dimmed">
    none
  </Text>
)

export const Mono = ({ text }: { text: string }) => (
  <Text span inherit ff="monospace" fz="xs">
    {text}
  </Text>
)

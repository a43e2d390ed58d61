import { Box, Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SectionProps {
  title: string
  about?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export function Section({ title, about, actions, children }: SectionProps) {
  return (
    <Box component="section" mb="xl">
      <Group justify="space-between" align="flex-start" mb="sm" gap="sm">
        <Box flex="1 1 320px" maw={640}>
          <Title order={2}>{title}</Title>
          {about === undefined ? null : (
            <Text c="dimmed" component="div">
              {about}
            </Text>
          )}
        </Box>
        {actions}
      </Group>
      {children}
    </Box>
  )
}

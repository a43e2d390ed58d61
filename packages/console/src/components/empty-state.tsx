import { Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon?: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      {icon === undefined ? null : (
        <ThemeIcon size={44} radius="xl" variant="light" color="gray" aria-hidden="true">
          {icon}
        </ThemeIcon>
      )}
      <Title order={2} size="h3">
        {title}
      </Title>
      {children === undefined ? null : (
        <Text c="dimmed" maw={520} component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  )
}

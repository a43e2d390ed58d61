import { Box, Group, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import classes from './page-header.module.css'

interface PageHeaderProps {
  title: string
  beside?: ReactNode
  children?: ReactNode
  actions?: ReactNode
}

export function PageHeader({ title, beside, children, actions }: PageHeaderProps) {
  useDocumentTitle(`${title} · Muster`)
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="sm">
      <Box flex="1 1 240px" miw={0}>
        <Group gap="sm" align="baseline">
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {beside}
        </Group>
        {children === undefined ? null : (
          <Text c="dimmed" component="div" maw={760}>
            {children}
          </Text>
        )}
      </Box>
      {actions === undefined ? null : (
        <Group gap="xs" className={classes.actions}>
          {actions}
        </Group>
      )}
    </Group>
  )
}

import { Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

export function Part({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title} style={{ minWidth: 0 }}>
      <Stack gap="sm">
        <div
          style={{ display: 'flex', flexWrap: 'wrap', gap: 8, alignItems: 'center', justifyContent: 'space-between' }}
        >
          <Title order={2} size="h4">
            {title}
          </Title>
          {actions}
        </div>
        {children}
      </Stack>
    </Paper>
  )
}

import { Button, Code, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { SecretOnce } from '../../components/dialogs/secret-once.tsx'

interface WebhookSecretProps {
  secret: string
  children?: ReactNode
  onDone: () => void
}

export function WebhookSecret({ secret, children, onDone }: WebhookSecretProps) {
  return (
    <Stack>
      <SecretOnce what="signing secret" value={secret}>
        <Text size="sm" c="dimmed">
          The receiver uses this secret to verify requests as specified by Standard Webhooks, with the headers{' '}
          <Code>webhook-id</Code>, <Code>webhook-timestamp</Code>, and <Code>webhook-signature</Code>. Libraries are
          available for most languages.
        </Text>
      </SecretOnce>
      {children}
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}

import { Button, Code, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { SecretOnce } from '../../components/secret-once.tsx'

interface WebhookSecretProps {
  secret: string
  children?: ReactNode
  onDone: () => void
}

/** The signing secret of a webhook, shown this once. */
export function WebhookSecret({ secret, children, onDone }: WebhookSecretProps) {
  return (
    <Stack>
      <SecretOnce what="signing secret" value={secret}>
        <Text size="sm" c="dimmed">
          The receiver checks by it that a request comes from here, by the Standard Webhooks specification: of the
          headers <Code>webhook-id</Code>, <Code>webhook-timestamp</Code> and <Code>webhook-signature</Code>, libraries
          for most languages take care.
        </Text>
      </SecretOnce>
      {children}
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}

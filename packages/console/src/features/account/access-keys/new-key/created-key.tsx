import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '../../../../components/copy-button.tsx'
import { SecretOnce } from '../../../../components/dialogs/secret-once.tsx'
import type { CreateAccessKeyMutation } from '../keys.generated.ts'

export type NewKey = CreateAccessKeyMutation['createAccessKey']

/** Returns the content of a credentials file, in the format of the file that the server writes on its first start. */
export const credentialsFile = (key: string, secret: string): string => `[default]
MUSTER_URL=${location.origin}
MUSTER_ACCESS_KEY_ID=${key}
MUSTER_SECRET_ACCESS_KEY=${secret}
`

export function CreatedKey({ created, onDone }: { created: NewKey; onDone: () => void }) {
  const { key, secret } = created
  return (
    <Stack>
      <Group gap="xs">
        <Text>Key ID</Text>
        <Code>{key}</Code>
        <CopyButton value={key} what="key ID" />
      </Group>
      {secret === null ? (
        <Text>
          The server now accepts requests signed with your private key and <Code>keyid="{key}"</Code>.
        </Text>
      ) : (
        <SecretOnce
          what="secret access key"
          value={secret}
          file={{ name: 'credentials', content: credentialsFile(key, secret) }}
        >
          <Text size="sm" c="dimmed">
            Muster’s programs read this file. Save it as <Code>~/.muster/credentials</Code>, readable only by you (
            <Code>chmod 600</Code>), then run <Code>{"npx muster query '{ login { email } }'"}</Code>
          </Text>
        </SecretOnce>
      )}
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}

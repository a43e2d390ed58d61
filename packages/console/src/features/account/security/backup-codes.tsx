import { Button, Group, Stack, Text } from '@mantine/core'
import { SecretOnce } from '../../../components/dialogs/secret-once.tsx'

export function BackupCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const text = codes.join('\n')
  return (
    <Stack>
      <SecretOnce
        what="list of backup codes"
        value={text}
        file={{ name: 'muster-backup-codes.txt', content: `${text}\n` }}
      >
        <Text size="sm" c="dimmed">
          If you lose your phone, sign in with one of these codes instead of a code from the app. Each code works once.
        </Text>
      </SecretOnce>
      <Group justify="flex-end">
        <Button onClick={onDone}>I have saved the codes</Button>
      </Group>
    </Stack>
  )
}

import { Button, Group, Stack, Text } from '@mantine/core'
import { SecretOnce } from '../../components/secret-once.tsx'

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
          Each signs in once in place of a code of the app, for the day that the phone is lost.
        </Text>
      </SecretOnce>
      <Group justify="flex-end">
        <Button onClick={onDone}>I have kept them</Button>
      </Group>
    </Stack>
  )
}

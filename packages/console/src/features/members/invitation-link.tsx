import { Button, Group, Stack } from '@mantine/core'
import { SecretOnce } from '../../components/dialogs/secret-once.tsx'

export function InvitationLink({ link, onDone }: { link: string; onDone: () => void }) {
  return (
    <Stack>
      <SecretOnce what="invitation link" value={link}>
        If the server does not email the link, send it to the person. Anyone with the link can join the account. The
        link works once.
      </SecretOnce>
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}

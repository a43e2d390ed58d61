import { Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CreationDialog } from '../../components/dialogs/creation-dialog.tsx'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { WebhookSecret } from './webhook-secret.tsx'
import { RotateWebhookSecretDocument } from './webhooks.generated.ts'

interface RotateSecretDialogProps {
  id: string
  opened: boolean
  onClose: () => void
}

export const RotateSecretDialog = ({ id, opened, onClose }: RotateSecretDialogProps) => (
  <CreationDialog<string>
    opened={opened}
    onClose={onClose}
    title="Rotate the signing secret"
    createdTitle="The new signing secret"
    size="lg"
    form={(onCreated) => <RotationForm id={id} onRotated={onCreated} onCancel={onClose} />}
  >
    {(secret) => <WebhookSecret secret={secret} onDone={onClose} />}
  </CreationDialog>
)

/** How long, in seconds, the server also signs deliveries with the old secret. */
const overlaps = [
  { value: '0', label: 'not at all, because it has leaked' },
  { value: '3600', label: 'for an hour' },
  { value: '86400', label: 'for a day' },
  { value: '604800', label: 'for 7 days' },
]

interface RotationFormProps {
  id: string
  onRotated: (secret: string) => void
  onCancel: () => void
}

function RotationForm({ id, onRotated, onCancel }: RotationFormProps) {
  const rotate = useChange(RotateWebhookSecretDocument)
  const [overlap, setOverlap] = useState('86400')
  const { attempt, isRunning, error } = useAttempt(async () => {
    const { rotateWebhookSecret } = await rotate({ id, overlap: Number(overlap) })
    onRotated(rotateWebhookSecret.secret ?? '')
  })
  return (
    <Stack>
      <Text>
        The server will sign deliveries with a new secret. While it also signs them with the old secret, receivers with
        either secret accept them.
      </Text>
      <ErrorNotice error={error} title="The secret was not changed" />
      <Select
        label="Also sign with the old secret"
        data={overlaps}
        value={overlap}
        allowDeselect={false}
        onChange={(value) => setOverlap(value ?? '86400')}
      />
      <FormButtons onCancel={onCancel} loading={isRunning} onClick={attempt}>
        Rotate secret
      </FormButtons>
    </Stack>
  )
}

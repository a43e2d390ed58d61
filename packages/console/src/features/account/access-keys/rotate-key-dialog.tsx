import { Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CreationDialog } from '../../../components/dialogs/creation-dialog.tsx'
import { FormButtons } from '../../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { useCreation } from '../../../graphql/use-change.ts'
import { useConfirmation } from '../../sign-in/use-confirmation.tsx'
import { type AccessKeyFieldsFragment, RotateAccessKeyDocument } from './keys.generated.ts'
import { CreatedKey, type NewKey } from './new-key/created-key.tsx'
import { PublicKeyInput } from './new-key/public-key-input.tsx'

interface RotateKeyDialogProps {
  accessKey: AccessKeyFieldsFragment
  opened: boolean
  onClose: () => void
}

export const RotateKeyDialog = ({ accessKey, opened, onClose }: RotateKeyDialogProps) => (
  <CreationDialog<NewKey>
    opened={opened}
    onClose={onClose}
    title={`Rotate ${accessKey.name ?? accessKey.key}`}
    createdTitle="The new access key"
    size="lg"
    form={(onCreated) => <RotationForm accessKey={accessKey} onCreated={onCreated} onCancel={onClose} />}
  >
    {(created) => <CreatedKey created={created} onDone={onClose} />}
  </CreationDialog>
)

/** How long, in seconds, the old key remains valid. */
const overlaps = [
  { value: '0', label: 'not at all, because it has leaked' },
  { value: '3600', label: 'for an hour' },
  { value: '86400', label: 'for a day' },
  { value: '604800', label: 'for 7 days' },
  { value: '2592000', label: 'for 30 days' },
]

interface RotationFormProps {
  accessKey: AccessKeyFieldsFragment
  onCreated: (created: NewKey) => void
  onCancel: () => void
}

function RotationForm({ accessKey: { key, algorithm }, onCreated, onCancel }: RotationFormProps) {
  const rotate = useCreation(RotateAccessKeyDocument, ['AccessKey'])
  const [overlap, setOverlap] = useState('86400')
  const [publicKey, setPublicKey] = useState('')
  const isPublic = algorithm === 'ed25519'
  const { attempt, error, form } = useConfirmation(async () => {
    const given = isPublic ? publicKey.trim() : null
    onCreated((await rotate({ key, overlap: Number(overlap), publicKey: given })).rotateAccessKey)
  })
  const { attempt: run, isRunning } = useAttempt(attempt)
  if (form !== undefined) return form
  return (
    <Stack>
      <Text>
        The new key has a different ID, but the same settings, including the expiration time. Give the new key to all
        programs that use the old key.
      </Text>
      <ErrorNotice error={error} title="The key was not rotated" labels={{ publicKey: 'Public key' }} />
      <Select
        label="The old key remains valid"
        data={overlaps}
        value={overlap}
        allowDeselect={false}
        onChange={(value) => setOverlap(value ?? '86400')}
      />
      {isPublic ? <PublicKeyInput value={publicKey} onChange={setPublicKey} /> : null}
      <FormButtons onCancel={onCancel} loading={isRunning} disabled={isPublic && publicKey.trim() === ''} onClick={run}>
        Rotate key
      </FormButtons>
    </Stack>
  )
}

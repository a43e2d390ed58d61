import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { WebhookSecret } from './webhook-secret.tsx'
import { RotateWebhookSecretDocument } from './webhooks.generated.ts'

interface RotateSecretDialogProps {
  id: string
  opened: boolean
  onClose: () => void
}

/** Seconds for which the server also signs deliveries with the old secret. */
const overlaps = [
  { value: '0', label: 'not at all, because it has leaked' },
  { value: '3600', label: 'for an hour' },
  { value: '86400', label: 'for a day' },
  { value: '604800', label: 'for 7 days' },
]

export function RotateSecretDialog({ id, opened, onClose }: RotateSecretDialogProps) {
  const rotate = useChange(RotateWebhookSecretDocument)
  const [overlap, setOverlap] = useState('86400')
  const [secret, setSecret] = useState<string | null>(null)
  const [error, setError] = useState<unknown>()
  const [running, setRunning] = useState(false)
  const run = async (): Promise<void> => {
    setRunning(true)
    setError(undefined)
    try {
      const { rotateWebhookSecret } = await rotate({ id, overlap: Number(overlap) })
      setSecret(rotateWebhookSecret.secret)
    } catch (failure) {
      setError(failure)
    } finally {
      setRunning(false)
    }
  }
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setSecret(null)}
      title={secret === null ? 'Rotate the signing secret' : 'The new signing secret'}
      size="lg"
      closeOnClickOutside={secret === null}
      closeOnEscape={secret === null}
    >
      {secret === null ? (
        <Stack>
          <Text>
            Deliveries will be signed with a new secret. While they are also signed with the old secret, receivers with
            either secret accept them.
          </Text>
          {error === undefined ? null : <ErrorNotice error={error} title="The secret was not changed" />}
          <Select
            label="Also sign with the old secret"
            data={overlaps}
            value={overlap}
            allowDeselect={false}
            onChange={(value) => setOverlap(value ?? '86400')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button loading={running} onClick={run}>
              Rotate secret
            </Button>
          </Group>
        </Stack>
      ) : (
        <WebhookSecret secret={secret} onDone={onClose} />
      )}
    </Modal>
  )
}

import { Alert, Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CreationDialog } from '../../components/dialogs/creation-dialog.tsx'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { SecretOnce } from '../../components/dialogs/secret-once.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useChange } from '../../graphql/use-change.ts'
import {
  type DeviceDetailFragment,
  RotateDeviceSecretDocument,
  type RotateDeviceSecretMutation,
} from './device.generated.ts'

type Rotated = RotateDeviceSecretMutation['rotateDeviceSecret']

interface RotateSecretProps {
  opened: boolean
  onClose(): void
  device: DeviceDetailFragment
}

export const RotateSecret = ({ opened, onClose, device }: RotateSecretProps) => (
  <CreationDialog<Rotated>
    opened={opened}
    onClose={onClose}
    title="Rotate the secret"
    createdTitle="Rotate the secret"
    form={(onRotated) => <RotationForm device={device} onRotated={onRotated} onCancel={onClose} />}
  >
    {({ secret }) => <Done device={device} secret={secret} onClose={onClose} />}
  </CreationDialog>
)

interface RotationFormProps {
  device: DeviceDetailFragment
  onRotated(rotated: Rotated): void
  onCancel(): void
}

function RotationForm({ device, onRotated, onCancel }: RotationFormProps) {
  const rotate = useChange(RotateDeviceSecretDocument)
  const [how, setHow] = useState('new')
  const { attempt, isRunning, error } = useAttempt(async () => {
    onRotated((await rotate({ id: device.id, allow: how === 'allow' })).rotateDeviceSecret)
  })
  return (
    <Stack gap="sm">
      <Text>
        The current secret of “{device.name}” stops working immediately, and the device is disconnected.
        {device.state === 'active' ? ' The device is currently active.' : ''}
      </Text>
      <Radio.Group aria-label="New secret" value={how} onChange={setHow}>
        <Stack gap="xs">
          <Radio
            value="new"
            label="Create a new secret"
            description="The console shows the secret only once. Store it on the device."
          />
          <Radio
            value="allow"
            label="Allow the device to register again"
            description="For one hour, the device can get a new secret by registering once with a registration code and its hardware ID."
            disabled={device.hardwareId === null}
          />
        </Stack>
      </Radio.Group>
      {device.hardwareId === null ? (
        <Text size="xs" c="dimmed">
          This device cannot register again because it has no hardware ID.
        </Text>
      ) : null}
      <ErrorNotice error={error} title="The secret was not changed" />
      <FormButtons onCancel={onCancel} color="red.9" loading={isRunning} onClick={attempt}>
        Rotate
      </FormButtons>
    </Stack>
  )
}

function Done({ device, secret, onClose }: { device: DeviceDetailFragment; secret: string | null; onClose(): void }) {
  return (
    <Stack gap="sm">
      {secret === null ? (
        <Alert color="teal" title="The device can register again">
          Within the next hour, the device can register once with a registration code and the hardware ID{' '}
          {device.hardwareId}. It cannot connect until it has registered.
        </Alert>
      ) : (
        <SecretOnce
          what="device secret"
          value={secret}
          file={{ name: 'device.txt', content: `id = ${device.id}\nsecret = ${secret}\n` }}
        />
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  )
}

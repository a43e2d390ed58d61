import { Alert, Button, Group, Modal, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { type DeviceDetailFragment, RotateDeviceSecretDocument } from './device.generated.ts'

interface RotateSecretProps {
  opened: boolean
  onClose(): void
  device: DeviceDetailFragment
}

export function RotateSecret({ opened, ...rest }: RotateSecretProps) {
  return (
    <Modal
      opened={opened}
      onClose={rest.onClose}
      title="Rotate the secret"
      // A secret that is shown once does not go by a click beside it.
      closeOnClickOutside={false}
    >
      <Dialog {...rest} />
    </Modal>
  )
}

/** Made anew each time it opens: no secret is kept from the time before. */
function Dialog({ onClose, device }: Omit<RotateSecretProps, 'opened'>) {
  const rotate = useChange(RotateDeviceSecretDocument)
  const [how, setHow] = useState('new')
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>()
  const [done, setDone] = useState<{ secret: string | null }>()
  const run = async (): Promise<void> => {
    setRunning(true)
    setError(undefined)
    try {
      const { rotateDeviceSecret } = await rotate({ id: device.id, allow: how === 'allow' })
      setDone(rotateDeviceSecret)
    } catch (failure) {
      setError(failure)
    } finally {
      setRunning(false)
    }
  }
  if (done !== undefined) return <Done device={device} secret={done.secret} onClose={onClose} />
  return (
    <Stack gap="sm">
      <Text>
        The present secret of “{device.name}” stops working at once, and the device is cut off
        {device.state === 'active' ? '. It is active now.' : '.'}
      </Text>
      <Radio.Group aria-label="What follows" value={how} onChange={setHow}>
        <Stack gap="xs">
          <Radio value="new" label="Make a new secret" description="It is shown once, for you to put on the device" />
          <Radio
            value="allow"
            label="Let the device register itself again"
            description="Once, within an hour, with a registration code and its hardware id; it fetches its own secret then"
            disabled={device.hardwareId === null}
          />
        </Stack>
      </Radio.Group>
      {device.hardwareId === null ? (
        <Text size="xs" c="dimmed">
          This device has no hardware id by which it could be known again.
        </Text>
      ) : null}
      {error === undefined ? null : <ErrorNotice error={error} title="The secret is unchanged" />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Keep the secret
        </Button>
        <Button color="red.9" loading={isRunning} onClick={run}>
          Rotate
        </Button>
      </Group>
    </Stack>
  )
}

function Done({ device, secret, onClose }: { device: DeviceDetailFragment; secret: string | null; onClose(): void }) {
  return (
    <Stack gap="sm">
      {secret === null ? (
        <Alert color="teal" title="The device may register again">
          Until an hour from now, once, as {device.hardwareId}. Until then it cannot sign on.
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

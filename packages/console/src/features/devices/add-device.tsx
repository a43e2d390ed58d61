import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { RouterAnchor } from '../../app/links.tsx'
import { SecretOnce } from '../../components/dialogs/secret-once.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useCreation } from '../../graphql/use-change.ts'
import { AddDeviceDocument, type AddDeviceMutation } from './devices.generated.ts'

const labels = { hardwareId: 'Hardware ID' }

export function AddDevice({ onClose }: { onClose(): void }) {
  const register = useCreation(AddDeviceDocument)
  const [added, setAdded] = useState<AddDeviceMutation['registerDevice']>()
  const form = useForm({
    initialValues: { name: '', hardwareId: '', platform: '' },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  const { attempt, error } = useAttempt(async () => {
    const { name, hardwareId, platform } = form.values
    const given = { name, hardwareId: hardwareId || null, platform: platform || null }
    setAdded((await register(given)).registerDevice)
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={added === undefined ? 'Add a device' : 'Device added'}
      // A click outside the dialog or the Escape key must not discard the secret, which appears only once.
      closeOnClickOutside={added === undefined}
      closeOnEscape={added === undefined}
    >
      {added === undefined ? (
        <form onSubmit={form.onSubmit(attempt)}>
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              Devices can also register themselves with a{' '}
              <RouterAnchor to="/account/codes" inherit>
                registration code
              </RouterAnchor>
              .
            </Text>
            <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
            <TextInput
              label="Hardware ID"
              description="Optional. A hardware ID must be unique in the account."
              {...form.getInputProps('hardwareId')}
            />
            <TextInput label="Platform" description="For example, linux-arm64" {...form.getInputProps('platform')} />
            <ErrorNotice error={error} title="The device was not added" labels={labels} />
            <Button type="submit" loading={form.submitting}>
              Add
            </Button>
          </Stack>
        </form>
      ) : (
        <Stack gap="sm">
          <Text size="sm">
            <RouterAnchor to="/devices/$deviceId" params={{ deviceId: added.device.id }} inherit>
              {added.device.name}
            </RouterAnchor>{' '}
            authenticates with its ID and this secret.
          </Text>
          <SecretOnce
            what="device secret"
            value={added.secret ?? ''}
            file={{ name: 'device.txt', content: `id = ${added.device.id}\nsecret = ${added.secret}\n` }}
          />
          <Button onClick={onClose}>Done</Button>
        </Stack>
      )}
    </Modal>
  )
}

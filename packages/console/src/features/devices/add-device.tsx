import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { RouterAnchor } from '../../app/links.tsx'
import { SecretOnce } from '../../components/dialogs/secret-once.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useCreation } from '../../graphql/use-change.ts'
import { AddDeviceDocument, type AddDeviceMutation } from './devices.generated.ts'

const labels = { hardwareId: 'Hardware ID' }

export function AddDevice({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const register = useCreation(AddDeviceDocument)
  const [added, setAdded] = useState<AddDeviceMutation['registerDevice']>()
  const [error, setError] = useState<unknown>()
  const form = useForm({
    initialValues: { name: '', hardwareId: '', platform: '' },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  const close = (): void => {
    setAdded(undefined)
    setError(undefined)
    form.reset()
    onClose()
  }
  const submit = async ({ name, hardwareId, platform }: typeof form.values): Promise<void> => {
    setError(undefined)
    try {
      const given = { name, hardwareId: hardwareId || null, platform: platform || null }
      setAdded((await register(given)).registerDevice)
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <Modal opened={opened} onClose={close} title={added === undefined ? 'Add a device' : 'Device added'}>
      {added === undefined ? (
        <form onSubmit={form.onSubmit(submit)}>
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
          <Button onClick={close}>Done</Button>
        </Stack>
      )}
    </Modal>
  )
}

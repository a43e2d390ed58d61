import { Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { changedFields } from '../../components/dialogs/changed-fields.ts'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { type DeviceDetailFragment, UpdateDeviceDocument } from './device.generated.ts'

interface EditDeviceProps {
  opened: boolean
  onClose(): void
  device: DeviceDetailFragment
}

export function EditDevice({ opened, ...rest }: EditDeviceProps) {
  return (
    <Modal opened={opened} onClose={rest.onClose} title="Edit the device">
      <Form {...rest} />
    </Modal>
  )
}

const labels = { hardwareId: 'Hardware ID' }

/** Mounts each time the dialog opens, so the form starts with the current values. */
function Form({ onClose, device }: Omit<EditDeviceProps, 'opened'>) {
  const [before] = useState(device)
  const update = useChange(UpdateDeviceDocument, ['Device'])
  const form = useForm({
    initialValues: { name: before.name, hardwareId: before.hardwareId ?? '', platform: before.platform ?? '' },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  const { attempt, error } = useAttempt(async () => {
    const { name, hardwareId, platform } = form.values
    const fields = { name: name.trim(), hardwareId: hardwareId || null, platform: platform || null }
    await update({ id: device.id, ...changedFields<typeof fields>(before, fields) })
    onClose()
  })
  return (
    <form onSubmit={form.onSubmit(attempt)}>
      <Stack gap="sm">
        <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps('name')} />
        <TextInput
          label="Hardware ID"
          description="A string that identifies the hardware, such as a serial number. A hardware ID must be unique in the account."
          {...form.getInputProps('hardwareId')}
        />
        <TextInput label="Platform" description="For example, linux-arm64" {...form.getInputProps('platform')} />
        <ErrorNotice error={error} title="Nothing was saved" labels={labels} />
        <FormButtons onCancel={onClose} loading={form.submitting}>
          Save
        </FormButtons>
      </Stack>
    </form>
  )
}

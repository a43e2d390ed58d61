import { Checkbox, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/dialogs/confirm-button.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { DeleteDeviceDocument, type DeviceDetailFragment } from './device.generated.ts'

interface DeleteDeviceProps {
  opened: boolean
  onClose(): void
  device: DeviceDetailFragment
}

export function DeleteDevice({ opened, onClose, device }: DeleteDeviceProps) {
  const remove = useChange(DeleteDeviceDocument)
  const navigate = useNavigate()
  const [force, setForce] = useState(false)
  const close = (): void => {
    setForce(false)
    onClose()
  }
  return (
    <ConfirmDialog
      opened={opened}
      onClose={close}
      title="Delete the device"
      confirm="Delete"
      danger
      onConfirm={async () => {
        await remove({ id: device.id, force })
        await navigate({ to: '/devices' })
      }}
    >
      <Stack gap="sm">
        <Text>
          “{device.name}” will be deleted with its services and attributes, and its secret will stop working. Its events
          stay in the event log.
        </Text>
        {device.state === 'active' || force ? (
          <Checkbox
            label="Delete the device even though it is active"
            checked={force}
            onChange={({ currentTarget }) => setForce(currentTarget.checked)}
          />
        ) : null}
      </Stack>
    </ConfirmDialog>
  )
}

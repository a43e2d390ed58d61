import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconDotsVertical, IconKey, IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useViewer } from '../user-settings/viewer.ts'
import { DeleteDevice } from './delete-device.tsx'
import type { DeviceDetailFragment } from './device.generated.ts'
import { EditDevice } from './edit-device.tsx'
import { RotateSecret } from './rotate-secret.tsx'

export function DeviceActions({ device }: { device: DeviceDetailFragment }) {
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete'>()
  const { may } = useViewer()
  const close = (): void => setOpen(undefined)
  return (
    <>
      {may('DEVICE_WRITE') ? (
        <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => setOpen('edit')}>
          Edit
        </Button>
      ) : null}
      {may('DEVICE_SECRET') ? (
        <Button variant="default" leftSection={<IconKey size={16} />} onClick={() => setOpen('rotate')}>
          Rotate secret
        </Button>
      ) : null}
      {may('DEVICE_DELETE') ? (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="default" size={36} aria-label="More">
              <IconDotsVertical size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setOpen('delete')}>
              Delete the device
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ) : null}
      <EditDevice opened={open === 'edit'} onClose={close} device={device} />
      <RotateSecret opened={open === 'rotate'} onClose={close} device={device} />
      <DeleteDevice opened={open === 'delete'} onClose={close} device={device} />
    </>
  )
}

import { Button, Group } from '@mantine/core'
import { IconDevices, IconFilterOff } from '@tabler/icons-react'
import { RouterButton } from '../../app/links.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { useViewer } from '../user-settings/viewer.ts'

interface NoDevicesProps {
  isFiltered: boolean
  onClear(): void
  onAdd(): void
}

export function NoDevices({ isFiltered, onClear, onAdd }: NoDevicesProps) {
  const { may, isRestricted } = useViewer()
  if (isFiltered)
    return (
      <EmptyState
        icon={<IconFilterOff />}
        title="No matching devices"
        action={
          <Button variant="default" onClick={onClear}>
            Clear the filters
          </Button>
        }
      >
        A word finds devices by part of the name or hardware ID, or by the beginning of the ID. After =, the value must
        match exactly, including case. After :, part of the value is enough.
      </EmptyState>
    )
  return (
    <EmptyState icon={<IconDevices />} title="No devices yet" action={<FirstDevice onAdd={onAdd} />}>
      {may('DEVICE_CREATE')
        ? 'Devices can register themselves with a registration code. You can also import devices from a CSV file.'
        : isRestricted
          ? 'Your role is limited to some devices or attributes, and you cannot access any devices. If you expected devices here, ask an admin of the account.'
          : 'Your role does not allow you to register devices. Ask an admin of the account to register them.'}
    </EmptyState>
  )
}

function FirstDevice({ onAdd }: { onAdd(): void }) {
  const { may, isRestricted } = useViewer()
  if (!may('DEVICE_CREATE')) return null
  return (
    <Group justify="center" gap="sm">
      {isRestricted ? null : <RouterButton to="/account/codes">Create a registration code</RouterButton>}
      <Button variant="default" onClick={onAdd}>
        Add a device manually
      </Button>
    </Group>
  )
}

import { Button, Group } from '@mantine/core'
import { IconDevices, IconFilterOff } from '@tabler/icons-react'
import { RouterButton } from '../../app/links.tsx'
import { EmptyState } from '../../components/empty-state.tsx'

interface NoDevicesProps {
  isFiltered: boolean
  onClear(): void
  onAdd(): void
}

export function NoDevices({ isFiltered, onClear, onAdd }: NoDevicesProps) {
  if (isFiltered)
    return (
      <EmptyState
        icon={<IconFilterOff />}
        title="No device matches"
        action={
          <Button variant="default" onClick={onClear}>
            Clear the filters
          </Button>
        }
      >
        Values of attributes and platforms are compared whole and in their case; of names, a part is enough.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={<IconDevices />}
      title="No devices yet"
      action={
        <Group>
          <RouterButton to="/account/codes">Make a registration code</RouterButton>
          <Button variant="default" onClick={onAdd}>
            Add a device by hand
          </Button>
        </Group>
      }
    >
      Devices join by themselves with a registration code. A list that you have elsewhere can be imported as CSV.
    </EmptyState>
  )
}

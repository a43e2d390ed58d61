import { Button, type ButtonProps, Group, Paper, Text } from '@mantine/core'
import { IconFileExport, IconPencil, IconTransfer, IconTrash, IconX } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { useViewer } from '../../user-settings/viewer.ts'
import type { ShownList } from '../csv/use-export.ts'
import type { DeviceFilter } from '../devices-search.ts'
import type { Selection } from '../use-selection.ts'
import { accountsToMoveTo } from './accounts-to-move-to.ts'

const ChangeDevices = lazy(async () => ({ default: (await import('./change-devices.tsx')).ChangeDevices }))
const PreviewDeletion = lazy(async () => ({ default: (await import('./preview-deletion.tsx')).PreviewDeletion }))
const MoveDevices = lazy(async () => ({ default: (await import('./move-devices.tsx')).MoveDevices }))
const ExportDevices = lazy(async () => ({ default: (await import('../csv/export-devices.tsx')).ExportDevices }))

interface SelectionBarProps {
  selection: Selection
  filter: DeviceFilter
  total: number | undefined
  shown: ShownList
  onMoved(): void
}

export function SelectionBar({ selection, filter, total, shown, onMoved }: SelectionBarProps) {
  const [action, setAction] = useState<'change' | 'export' | 'move' | 'delete'>()
  const viewer = useViewer()
  const { may, isRestricted } = viewer
  const count = selection.count(total)
  const close = (): void => setAction(undefined)
  const mayMove = may('DEVICE_DELETE') && !isRestricted && accountsToMoveTo(viewer).length > 0
  const devices = { selected: selection.selected, filter }
  if (count === 0 && action === undefined) return null
  return (
    <>
      <Paper withBorder px="sm" py={6} mb="xs" role="region" aria-label="Selected devices">
        <Group gap="xs">
          <Text size="sm" fw={600} role="status">
            {selection.selected.kind === 'all' ? 'All matching devices: ' : ''}
            {count?.toLocaleString() ?? '…'} selected
          </Text>
          {selection.selected.kind === 'some' && total !== undefined && count !== total ? (
            <Button size="xs" variant="subtle" onClick={selection.selectAll}>
              Select all {total.toLocaleString()} matching devices
            </Button>
          ) : null}
          {may('ATTRIBUTE_WRITE') || may('DEVICE_WRITE') ? (
            <ActionButton Icon={IconPencil} onClick={() => setAction('change')}>
              Change
            </ActionButton>
          ) : null}
          <ActionButton Icon={IconFileExport} onClick={() => setAction('export')}>
            Export CSV
          </ActionButton>
          {mayMove ? (
            <ActionButton Icon={IconTransfer} onClick={() => setAction('move')}>
              Move
            </ActionButton>
          ) : null}
          {may('DEVICE_DELETE') ? (
            <ActionButton Icon={IconTrash} color="red" onClick={() => setAction('delete')}>
              Delete
            </ActionButton>
          ) : null}
          <ActionButton Icon={IconX} variant="subtle" color="gray" onClick={selection.clear}>
            Clear selection
          </ActionButton>
        </Group>
      </Paper>
      <Suspense>
        {action === 'change' ? <ChangeDevices devices={devices} count={count} onClose={close} /> : null}
        {action === 'export' ? <ExportDevices devices={devices} shown={shown} count={count} onClose={close} /> : null}
        {action === 'move' && count !== undefined ? (
          <MoveDevices
            devices={devices}
            count={count}
            onClose={close}
            onMoved={() => {
              close()
              selection.clear()
              onMoved()
            }}
          />
        ) : null}
        {action === 'delete' ? <PreviewDeletion devices={devices} onClose={close} /> : null}
      </Suspense>
    </>
  )
}

interface ActionButtonProps extends ButtonProps {
  Icon: typeof IconPencil
  onClick(): void
}

const ActionButton = ({ Icon, ...button }: ActionButtonProps) => (
  <Button size="xs" variant="light" leftSection={<Icon size={14} aria-hidden="true" />} {...button} />
)

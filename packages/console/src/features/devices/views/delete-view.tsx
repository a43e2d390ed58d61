import { Text } from '@mantine/core'
import { ConfirmDialog } from '../../../components/confirm-button.tsx'
import { useChange } from '../../../graphql/use-change.ts'
import type { DeviceView } from './use-views.ts'
import { DeleteDeviceViewDocument } from './views.generated.ts'

interface DeleteViewProps {
  view: DeviceView
  onClose(): void
  onDeleted(): void
}

/** Deletes a view after confirmation. */
export function DeleteView({ view, onClose, onDeleted }: DeleteViewProps) {
  const remove = useChange(DeleteDeviceViewDocument, ['View'])
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={`Delete view ${view.name}`}
      confirm="Delete view"
      danger
      onConfirm={async () => {
        await remove({ id: view.id })
        onDeleted()
      }}
    >
      <Text size="sm">The view’s devices are not deleted. Links and commands that use the view no longer work.</Text>
    </ConfirmDialog>
  )
}

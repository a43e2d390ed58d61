import { ConfirmDialog } from '../../components/dialogs/confirm-button.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { RemoveServiceDocument, type ServiceRowFragment } from './services.generated.ts'

interface RemoveServiceProps {
  service: Pick<ServiceRowFragment, 'id' | 'name'> | undefined
  onClose(): void
  onRemoved?(): void
}

export function RemoveService({ service, onClose, onRemoved }: RemoveServiceProps) {
  const remove = useChange(RemoveServiceDocument, ['Service'])
  return (
    <ConfirmDialog
      opened={service !== undefined}
      onClose={onClose}
      title="Remove the service"
      confirm="Remove"
      danger
      onConfirm={async () => {
        if (service === undefined) return
        await remove({ id: service.id })
        onRemoved?.()
      }}
    >
      “{service?.name}” will be removed with all its attributes. Its events stay in the event log.
    </ConfirmDialog>
  )
}

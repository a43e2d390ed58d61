import { CreationDialog } from '../../../components/dialogs/creation-dialog.tsx'
import { CreatedCode, type NewCode } from './created-code.tsx'
import { NewCodeForm } from './new-code-form.tsx'

interface NewCodeDialogProps {
  opened: boolean
  onClose: () => void
}

export const NewCodeDialog = ({ opened, onClose }: NewCodeDialogProps) => (
  <CreationDialog<NewCode>
    opened={opened}
    onClose={onClose}
    title="New registration code"
    createdTitle="Registration code created"
    size="xl"
    form={(onCreated) => <NewCodeForm onCreated={onCreated} onCancel={onClose} />}
  >
    {(created) => <CreatedCode created={created} onDone={onClose} />}
  </CreationDialog>
)

import { CreationDialog } from '../../../components/dialogs/creation-dialog.tsx'
import { CreatedCode, type NewCode } from './created-code.tsx'
import { NewCodeForm } from './new-code-form.tsx'

export const NewCodeDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => (
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

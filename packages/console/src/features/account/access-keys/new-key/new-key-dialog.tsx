import { CreationDialog } from '../../../../components/dialogs/creation-dialog.tsx'
import { CreatedKey, type NewKey } from './created-key.tsx'
import type { Policy } from './key-values.ts'
import { NewKeyForm } from './new-key-form.tsx'

interface NewKeyDialogProps {
  policy: Policy | undefined
  opened: boolean
  onClose: () => void
}

export const NewKeyDialog = ({ policy, opened, onClose }: NewKeyDialogProps) => (
  <CreationDialog<NewKey>
    opened={opened}
    onClose={onClose}
    title="New access key"
    createdTitle="Access key created"
    size="lg"
    form={(onCreated) => <NewKeyForm policy={policy} onCreated={onCreated} onCancel={onClose} />}
  >
    {(created) => <CreatedKey created={created} onDone={onClose} />}
  </CreationDialog>
)

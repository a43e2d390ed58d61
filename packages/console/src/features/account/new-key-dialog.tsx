import { Modal } from '@mantine/core'
import { useState } from 'react'
import { CreatedKey, type NewKey } from './created-key.tsx'
import { NewKeyForm } from './new-key-form.tsx'

interface NewKeyDialogProps {
  opened: boolean
  onClose: () => void
}

/** Asks what the key is for, then shows its secret this once. */
export function NewKeyDialog({ opened, onClose }: NewKeyDialogProps) {
  const [created, setCreated] = useState<NewKey>()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      // Only once the dialog is out of sight, so that nothing flickers.
      onExitTransitionEnd={() => setCreated(undefined)}
      title={created === undefined ? 'New access key' : 'The access key is made'}
      size="lg"
      // A secret that is shown once is not lost to a click beside the dialog.
      closeOnClickOutside={created === undefined}
      closeOnEscape={created === undefined}
    >
      {created === undefined ? (
        <NewKeyForm onCreated={setCreated} onCancel={onClose} />
      ) : (
        <CreatedKey created={created} onDone={onClose} />
      )}
    </Modal>
  )
}

import { Modal } from '@mantine/core'
import { useState } from 'react'
import { CreatedKey, type NewKey } from './created-key.tsx'
import { NewKeyForm } from './new-key-form.tsx'

interface NewKeyDialogProps {
  opened: boolean
  onClose: () => void
}

/** A form for a new key, then its secret, which is shown only once. */
export function NewKeyDialog({ opened, onClose }: NewKeyDialogProps) {
  const [created, setCreated] = useState<NewKey>()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      // Reset only after the dialog has disappeared, to avoid flicker.
      onExitTransitionEnd={() => setCreated(undefined)}
      title={created === undefined ? 'New access key' : 'Access key created'}
      size="lg"
      // A click outside the dialog must not discard a secret that is shown only once.
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

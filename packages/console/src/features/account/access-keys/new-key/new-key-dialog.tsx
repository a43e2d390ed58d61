import { Modal } from '@mantine/core'
import { useState } from 'react'
import { CreatedKey, type NewKey } from './created-key.tsx'
import type { Policy } from './key-values.ts'
import { NewKeyForm } from './new-key-form.tsx'

interface NewKeyDialogProps {
  policy: Policy | undefined
  opened: boolean
  onClose: () => void
}

/** Shows a form for a new key, and then the key's secret, which appears only once. */
export function NewKeyDialog({ policy, opened, onClose }: NewKeyDialogProps) {
  const [created, setCreated] = useState<NewKey>()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      // Resets the dialog only after it has disappeared, to avoid flicker.
      onExitTransitionEnd={() => setCreated(undefined)}
      title={created === undefined ? 'New access key' : 'Access key created'}
      size="lg"
      // A click outside the dialog must not discard the secret, which appears only once.
      closeOnClickOutside={created === undefined}
      closeOnEscape={created === undefined}
    >
      {created === undefined ? (
        <NewKeyForm policy={policy} onCreated={setCreated} onCancel={onClose} />
      ) : (
        <CreatedKey created={created} onDone={onClose} />
      )}
    </Modal>
  )
}

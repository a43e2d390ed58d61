import { Modal } from '@mantine/core'
import { useState } from 'react'
import { CreatedCode, type NewCode } from './created-code.tsx'
import { NewCodeForm } from './new-code-form.tsx'

interface NewCodeDialogProps {
  opened: boolean
  onClose: () => void
}

/** Shows a form for a new code, and then the code itself, which appears only once. */
export function NewCodeDialog({ opened, onClose }: NewCodeDialogProps) {
  const [created, setCreated] = useState<NewCode>()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setCreated(undefined)}
      title={created === undefined ? 'New registration code' : 'Registration code created'}
      size="xl"
      closeOnClickOutside={created === undefined}
      closeOnEscape={created === undefined}
    >
      {created === undefined ? (
        <NewCodeForm onCreated={setCreated} onCancel={onClose} />
      ) : (
        <CreatedCode created={created} onDone={onClose} />
      )}
    </Modal>
  )
}

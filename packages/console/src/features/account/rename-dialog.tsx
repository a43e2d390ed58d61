import { Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'

interface RenameDialogProps {
  opened: boolean
  onClose: () => void
  what: string
  /** The dialog's title. Default: "Rename", followed by `what`. */
  title?: string
  confirm?: string
  name: string | null
  /** An empty name becomes null. */
  onRename: (name: string | null) => Promise<unknown>
}

export function RenameDialog({ opened, onClose, ...rest }: RenameDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={rest.title ?? `Rename ${rest.what}`}>
      <RenameForm onClose={onClose} {...rest} />
    </Modal>
  )
}

/** Mounts each time the dialog opens, so the field starts with the current name. */
function RenameForm({ onClose, what, name, confirm = 'Rename', onRename }: Omit<RenameDialogProps, 'opened'>) {
  const [text, setText] = useState(name ?? '')
  const { submit, isRunning, error } = useAttempt(async () => {
    await onRename(text.trim() || null)
    onClose()
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <ErrorNotice error={error} />
        <TextInput
          label="Name"
          description={`A name for this ${what}`}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          maxLength={100}
          data-autofocus
        />
        <FormButtons onCancel={onClose} loading={isRunning}>
          {confirm}
        </FormButtons>
      </Stack>
    </form>
  )
}

import { Modal, type ModalProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'

interface CreationDialogProps<Created> {
  opened: boolean
  onClose: () => void
  title: string
  createdTitle: string
  size?: ModalProps['size']
  form: (onCreated: (created: Created) => void) => ReactNode
  children: (created: Created) => ReactNode
}

export function CreationDialog<Created extends object | string>(props: CreationDialogProps<Created>) {
  const { opened, onClose, title, createdTitle, size, form, children } = props
  const [created, setCreated] = useState<Created>()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      // Reset the dialog only after it has disappeared, to avoid flicker.
      onExitTransitionEnd={() => setCreated(undefined)}
      title={created === undefined ? title : createdTitle}
      size={size}
      // A click outside the dialog or the Escape key must not discard a secret that appears only once.
      closeOnClickOutside={created === undefined}
      closeOnEscape={created === undefined}
    >
      {created === undefined ? form(setCreated) : children(created)}
    </Modal>
  )
}

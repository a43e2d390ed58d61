import { Button, type ButtonProps, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { ErrorNotice } from '../error-notice.tsx'
import { FormButtons } from './form-buttons.tsx'
import { useAttempt } from './use-attempt.ts'

interface ConfirmDialogProps {
  opened: boolean
  onClose: () => void
  title: string
  children: ReactNode
  confirm: string
  danger?: boolean
  /** If the promise resolves, the dialog closes. If it rejects, the dialog stays open and shows the error. */
  onConfirm: () => Promise<unknown>
}

export function ConfirmDialog({ opened, onClose, title, children, confirm, danger, onConfirm }: ConfirmDialogProps) {
  const { attempt, isRunning, error, clearError } = useAttempt(async () => {
    await onConfirm()
    onClose()
  })
  const close = (): void => {
    clearError()
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <Stack>
        <Text component="div">{children}</Text>
        <ErrorNotice error={error} />
        <FormButtons
          onCancel={close}
          color={danger ? 'red.9' : undefined}
          loading={isRunning}
          onClick={attempt}
          data-autofocus
        >
          {confirm}
        </FormButtons>
      </Stack>
    </Modal>
  )
}

interface ConfirmButtonProps extends ButtonProps, Omit<ConfirmDialogProps, 'opened' | 'onClose' | 'children'> {
  label: ReactNode
  children: ReactNode
}

export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, title, children, confirm, danger, onConfirm, ...button } = props
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {label}
      </Button>
      <ConfirmDialog {...{ opened, title, confirm, danger, onConfirm }} onClose={close}>
        {children}
      </ConfirmDialog>
    </>
  )
}

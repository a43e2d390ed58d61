import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { ErrorNotice } from '../error-notice.tsx'

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
  const [running, setRunning] = useState(false)
  const [error, setError] = useState<unknown>()
  const close = (): void => {
    setError(undefined)
    onClose()
  }
  const run = async (): Promise<void> => {
    setRunning(true)
    setError(undefined)
    try {
      await onConfirm()
      close()
    } catch (failure) {
      setError(failure)
    } finally {
      setRunning(false)
    }
  }
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <Stack>
        <Text component="div">{children}</Text>
        <ErrorNotice error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button color={danger ? 'red.9' : undefined} loading={running} onClick={run} data-autofocus>
            {confirm}
          </Button>
        </Group>
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

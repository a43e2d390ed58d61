import { Alert, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { FormButtons } from '../../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { excludesTooMany, type SelectedDevices } from './selected-devices.ts'

interface JobDialogProps {
  devices: SelectedDevices
  title: string
  children: ReactNode
  onClose(): void
}

/** Shows the form of a job or, if the job cannot exclude as many devices as the user has deselected, the reason. */
export function JobDialog({ devices, title, children, onClose }: JobDialogProps) {
  const { selected } = devices
  return (
    <Modal opened onClose={onClose} title={title}>
      {selected.kind === 'all' && excludesTooMany(devices) ? (
        <Alert color="red" variant="light" role="alert">
          You have deselected {selected.except.size.toLocaleString()} of the matching devices, but the filter of a bulk
          job cannot exclude that many. Change the filter so that it matches fewer devices, or select the devices
          individually.
        </Alert>
      ) : (
        children
      )}
    </Modal>
  )
}

interface JobFormProps {
  children: ReactNode
  isComplete?: boolean
  onClose(): void
  /** The form shows the error if the promise rejects. */
  onSubmit(): Promise<void>
}

const labels = { attributes: 'Attribute', services: 'Services', where: 'Services', context: 'Context' }

export function JobForm({ children, isComplete = true, onClose, onSubmit }: JobFormProps) {
  const { submit, isRunning, error } = useAttempt(onSubmit)
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {children}
        <ErrorNotice error={error} title="The preview could not be created" labels={labels} />
        <FormButtons onCancel={onClose} loading={isRunning} disabled={!isComplete}>
          Preview
        </FormButtons>
      </Stack>
    </form>
  )
}

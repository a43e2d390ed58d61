import { Alert, Modal, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { FormButtons } from '../../../components/dialogs/form-buttons.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import type { SelectedDevices } from './selected-devices.ts'

/** The API accepts at most this many values in a list of a filter. */
const MAX_EXCEPTIONS = 100

interface JobDialogProps {
  devices: SelectedDevices
  title: string
  children: ReactNode
  onClose(): void
}

/** Shows the form of a job or, if the job cannot exclude as many devices as the user has deselected, the reason. */
export function JobDialog({ devices: { selected }, title, children, onClose }: JobDialogProps) {
  const exceptions = selected.kind === 'all' ? selected.except.size : 0
  return (
    <Modal opened onClose={onClose} title={title}>
      {exceptions > MAX_EXCEPTIONS ? (
        <Alert color="red" variant="light" role="alert">
          You have deselected {exceptions.toLocaleString()} of the matching devices, but a bulk job can exclude at most{' '}
          {MAX_EXCEPTIONS}. Change the filter so that it matches fewer devices, or select the devices individually.
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
  const [isCreating, setCreating] = useState(false)
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setCreating(true)
    setError(undefined)
    try {
      await onSubmit()
    } catch (failure) {
      setError(failure)
      setCreating(false)
    }
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {children}
        <ErrorNotice error={error} title="The preview could not be created" labels={labels} />
        <FormButtons onCancel={onClose} loading={isCreating} disabled={!isComplete}>
          Preview
        </FormButtons>
      </Stack>
    </form>
  )
}

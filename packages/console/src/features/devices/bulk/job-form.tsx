import { Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { FormButtons } from '../../../components/dialogs/form-buttons.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'

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

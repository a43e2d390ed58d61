import { Modal, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import {
  type ServiceFields,
  ServiceInputs,
  type ServiceValues,
  serviceFields,
  serviceValues,
} from './service-inputs.tsx'
import type { ServiceRowFragment } from './services.generated.ts'

interface ServiceFormProps {
  opened: boolean
  onClose(): void
  service?: ServiceRowFragment | undefined
  onSave(fields: ServiceFields): Promise<unknown>
}

export function ServiceForm({ opened, onClose, ...rest }: ServiceFormProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={rest.service === undefined ? 'Add a service' : 'Edit the service'}>
      <Form onClose={onClose} {...rest} />
    </Modal>
  )
}

/** Mounts each time the dialog opens, so the form starts with the current values. */
function Form({ onClose, service, onSave }: Omit<ServiceFormProps, 'opened'>) {
  const isNew = service === undefined
  const form = useForm<ServiceValues>({
    initialValues: serviceValues(service),
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  const { attempt, isRunning, error } = useAttempt(async () => {
    await onSave(serviceFields(form.values, { isNew }))
    onClose()
  })
  return (
    <form onSubmit={form.onSubmit(attempt)}>
      <Stack gap="sm">
        <ServiceInputs form={form} isNew={isNew} />
        <ErrorNotice error={error} title="Nothing was saved" />
        <FormButtons onCancel={onClose} loading={isRunning}>
          {isNew ? 'Add' : 'Save'}
        </FormButtons>
      </Stack>
    </form>
  )
}

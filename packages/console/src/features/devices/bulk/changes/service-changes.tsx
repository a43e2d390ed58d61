import { useForm } from '@mantine/form'
import { useRef } from 'react'
import { typedFilter } from '../../../filters/filter-field.tsx'
import { ServiceInputs, type ServiceValues, serviceFields, serviceValues } from '../../../services/service-inputs.tsx'
import { JobForm } from '../job-form.tsx'
import type { ChangeFormProps } from './change-form-props.ts'
import { requireFilter, ServicesField } from './services-filter-field.tsx'

export function AddedService({ children, onClose, onSubmit }: ChangeFormProps) {
  const form = useForm<ServiceValues>({ initialValues: serviceValues() })
  const { values } = form
  return (
    <JobForm
      isComplete={values.name.trim() !== ''}
      onClose={onClose}
      onSubmit={() =>
        onSubmit(`Add the service ${values.name.trim()}`, { addService: serviceFields(values, { isNew: true }) })
      }
    >
      {children}
      <ServiceInputs form={form} isNew />
    </JobForm>
  )
}

export function RemovedServices({ children, onClose, onSubmit }: ChangeFormProps) {
  const box = useRef<HTMLDivElement>(null)
  const submit = async (): Promise<void> => {
    const where = requireFilter(typedFilter(box))
    await onSubmit(`Remove services: ${where}`, { removeService: { where } })
  }
  return (
    <JobForm onClose={onClose} onSubmit={submit}>
      {children}
      <ServicesField description="The job removes matching services and their attributes." box={box} />
    </JobForm>
  )
}

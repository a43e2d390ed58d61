import { Button, Checkbox, Group, Modal, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useQuery } from 'urql'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { ApplicationTypesDocument, type ApplicationTypesQuery, type ServiceRowFragment } from './services.generated.ts'

/** A service's editable fields. Null means no value. */
export interface ServiceFields {
  name: string
  /** Application type. If omitted, the server derives the type from the port. */
  application?: number
  host: string | null
  /** Port. If omitted, the service has the default port of its type. */
  port?: number | null
  enabled: boolean
}

interface ServiceFormProps {
  opened: boolean
  onClose(): void
  /** Service to change. Undefined for a new service. */
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

type Types = ApplicationTypesQuery['applicationTypes']

/** Mounts each time the dialog opens, so that it starts with the current values. */
function Form({ onClose, service, onSave }: Omit<ServiceFormProps, 'opened'>) {
  const [{ data }] = useQuery({ query: ApplicationTypesDocument, requestPolicy: 'cache-first' })
  const [error, setError] = useState<unknown>()
  const [isSaving, setSaving] = useState(false)
  const types = data?.applicationTypes ?? []
  const form = useForm({
    initialValues: {
      name: service?.name ?? '',
      application: service === undefined ? null : (String(service.application) as string | null),
      host: service?.host ?? '',
      port: (service?.port ?? '') as number | string,
      enabled: service?.enabled ?? true,
    },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  const submit = async ({ name, application, host, port, enabled }: typeof form.values): Promise<void> => {
    setSaving(true)
    setError(undefined)
    try {
      await onSave({
        name: name.trim(),
        host: host.trim() === '' ? null : host.trim(),
        enabled,
        ...(application === null ? {} : { application: Number(application) }),
        ...(port === '' && service === undefined ? {} : { port: port === '' ? null : Number(port) }),
      })
      onClose()
    } catch (failure) {
      setError(failure)
      setSaving(false)
    }
  }
  const type = types.find(({ id }) => String(id) === form.values.application)
  return (
    <form onSubmit={form.onSubmit(submit)}>
      <Stack gap="sm">
        <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps('name')} />
        <Select
          label="Type"
          description={type?.description ?? 'By default, the type with the port below'}
          placeholder="from the port"
          data={typeOptions(types)}
          searchable
          clearable={service === undefined}
          allowDeselect={service === undefined}
          {...form.getInputProps('application')}
        />
        <Group grow align="flex-start">
          <TextInput
            label="Host"
            description="The host on which the device reaches the service"
            placeholder="the device itself"
            {...form.getInputProps('host')}
          />
          <NumberInput
            label="Port"
            description={portHint(type, service === undefined)}
            placeholder={type?.port?.toString() ?? ''}
            min={1}
            max={65_535}
            allowDecimal={false}
            clampBehavior="none"
            {...form.getInputProps('port')}
          />
        </Group>
        <Checkbox label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
        {error === undefined ? null : <ErrorNotice error={error} title="Nothing was saved" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isSaving}>
            {service === undefined ? 'Add' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const typeOptions = (types: Types) =>
  types.map(({ id, name, port, protocol }) => ({
    value: String(id),
    label: port === null ? name : `${name} (${protocol} ${port})`,
  }))

const portHint = (type: Types[number] | undefined, isNew: boolean): string => {
  if (!isNew) return '1 to 65535, or empty'
  return type?.port == null ? '1 to 65535' : `Default: ${type.port}`
}

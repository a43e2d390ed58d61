import { Checkbox, Group, NumberInput, Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from 'urql'
import { ApplicationTypesDocument, type ApplicationTypesQuery, type ServiceRowFragment } from './services.generated.ts'

export interface ServiceFields {
  name: string
  /** If omitted, the server derives the type of a new service from the port. */
  application?: number
  host: string | null
  /** If omitted, a new service gets the default port of its type. Null means that the service has no port. */
  port?: number | null
  enabled: boolean
}

export interface ServiceValues {
  name: string
  application: string | null
  host: string
  port: number | string
  enabled: boolean
}

export const serviceValues = (service?: ServiceRowFragment): ServiceValues => ({
  name: service?.name ?? '',
  application: service === undefined ? null : String(service.application),
  host: service?.host ?? '',
  port: service?.port ?? '',
  enabled: service?.enabled ?? true,
})

export const serviceFields = (
  { name, application, host, port, enabled }: ServiceValues,
  { isNew }: { isNew: boolean },
): ServiceFields => ({
  name: name.trim(),
  host: host.trim() || null,
  enabled,
  ...(application === null ? {} : { application: Number(application) }),
  ...(port === '' && isNew ? {} : { port: port === '' ? null : Number(port) }),
})

interface ServiceInputsProps {
  form: UseFormReturnType<ServiceValues>
  isNew: boolean
}

export function ServiceInputs({ form, isNew }: ServiceInputsProps) {
  const [{ data }] = useQuery({ query: ApplicationTypesDocument, requestPolicy: 'cache-first' })
  const types = data?.applicationTypes ?? []
  const type = types.find(({ id }) => String(id) === form.values.application)
  return (
    <>
      <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps('name')} />
      <Select
        label="Type"
        description={type?.description ?? 'By default, the server derives the type from the port'}
        placeholder="from the port"
        data={typeOptions(types)}
        searchable
        clearable={isNew}
        allowDeselect={isNew}
        {...form.getInputProps('application')}
      />
      <Group grow align="flex-start">
        <TextInput
          label="Host"
          description="The host name or IP address at which the device reaches the service"
          placeholder="the device itself"
          {...form.getInputProps('host')}
        />
        <NumberInput
          label="Port"
          description={portHint(type, isNew)}
          placeholder={type?.port?.toString() ?? ''}
          min={1}
          max={65_535}
          allowDecimal={false}
          clampBehavior="none"
          {...form.getInputProps('port')}
        />
      </Group>
      <Checkbox label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </>
  )
}

type Types = ApplicationTypesQuery['applicationTypes']

const typeOptions = (types: Types) =>
  types.map(({ id, name, port, protocol }) => ({
    value: String(id),
    label: port === null ? name : `${name} (${protocol} ${port})`,
  }))

const portHint = (type: Types[number] | undefined, isNew: boolean): string => {
  if (!isNew) return '1 to 65535, or empty'
  return type?.port == null ? '1 to 65535' : `Default: ${type.port}`
}

import { NumberInput, Select, TextInput } from '@mantine/core'
import { useQuery } from 'urql'
import type { ServiceInput } from '../../../graphql/schema-types.generated.ts'
import { ApplicationTypesDocument } from '../../services/services.generated.ts'
import { ListField, type ListInput, type NamedRow } from './list-field.tsx'

export interface ServiceRow extends NamedRow {
  /** ID of the application type as a string. If null, the server derives the type from the port. */
  application: string | null
  port: number | string
}

export function ServicesField(input: ListInput<ServiceRow>) {
  const [{ data }] = useQuery({ query: ApplicationTypesDocument, requestPolicy: 'cache-first' })
  const types = data?.applicationTypes ?? []
  return (
    <ListField
      label="Services"
      what="service"
      empty={{ name: '', application: null, port: '' }}
      input={input}
      fields={({ name, application, port }, change, number) => (
        <>
          <TextInput
            flex={2}
            aria-label={`Name of service ${number}`}
            placeholder="ssh"
            value={name}
            onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          />
          <Select
            flex={2}
            aria-label={`Type of service ${number}`}
            placeholder="from the port"
            clearable
            searchable
            data={types.map((type) => ({ value: String(type.id), label: type.name }))}
            value={application}
            onChange={(chosen) => change({ application: chosen })}
          />
          <NumberInput
            flex={1}
            aria-label={`Port of service ${number}`}
            placeholder={defaultPortOf(types, application) ?? 'port'}
            min={1}
            max={65_535}
            allowDecimal={false}
            hideControls
            value={port}
            onChange={(chosen) => change({ port: chosen })}
          />
        </>
      )}
    />
  )
}

const defaultPortOf = (types: readonly { id: number; port: number | null }[], id: string | null): string | undefined =>
  types.find((type) => String(type.id) === id)?.port?.toString()

export const servicesFrom = (rows: readonly ServiceRow[]): ServiceInput[] | null =>
  rows.length === 0
    ? null
    : rows.map(({ name, application, port }) => ({
        name: name.trim(),
        ...(application === null ? {} : { application: Number(application) }),
        ...(port === '' ? {} : { port: Number(port) }),
      }))

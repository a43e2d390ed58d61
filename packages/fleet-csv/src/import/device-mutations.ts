import { nestAttributes } from '../csv/device-row.ts'
import type { ServiceFields } from '../csv/device-services.ts'
import { type FieldName, fieldNames } from '../fields.ts'
import type { Difference } from './difference.ts'
import type { MutationField } from './mutation-document.ts'
import type { WantedDevice } from './validate-row.ts'

export function registration(device: WantedDevice): MutationField {
  return {
    field: 'registerDevice',
    arguments: {
      ...Object.fromEntries(fieldNames.map((name) => [name, { type: 'String', value: device[name] }])),
      name: { type: 'String!', value: device.name },
      services: { type: '[ServiceInput!]', value: device.services },
      attributes: { type: 'Object', value: nestAttributes(device.attributes) },
    },
    selection: '{ device { id } }',
  }
}

export function changesOf(deviceId: string, difference: Partial<Difference>): MutationField[] {
  const { fields = {}, addServices = [], updateServices = [], attributes = new Map<string, string>() } = difference
  const changes: MutationField[] = []
  if (Object.keys(fields).length > 0) {
    const values = typedArguments(fields, fieldTypes)
    changes.push({
      field: 'updateDevice',
      arguments: { deviceId: { type: 'String!', value: deviceId }, ...values },
      selection: '{ id }',
    })
  }
  for (const service of addServices) {
    const values = typedArguments(service, { ...serviceTypes, name: 'String!' })
    changes.push({
      field: 'addService',
      arguments: { deviceId: { type: 'String!', value: deviceId }, ...values },
      selection: '{ id port }',
    })
  }
  changes.push(...updateServices.map(serviceUpdate))
  if (attributes.size > 0) {
    const values = {
      serviceId: { type: 'String!', value: deviceId },
      attributes: { type: 'Object!', value: nestAttributes(attributes) },
    }
    changes.push({ field: 'setAttributes', arguments: values, selection: '' })
  }
  return changes
}

function serviceUpdate({ id, ...service }: Partial<ServiceFields> & { id: string }): MutationField {
  const values = typedArguments(service, serviceTypes)
  return { field: 'updateService', arguments: { id: { type: 'ID!', value: id }, ...values }, selection: '{ id }' }
}

/** Returns the mutations that remove the default port from added services that must have no port. */
export function portRemovals(
  fields: readonly MutationField[],
  results: Readonly<Record<string, unknown>>,
): MutationField[] {
  return fields.flatMap((field, index) => {
    if (field.field !== 'addService' || field.arguments.port?.value !== null) return []
    const { id, port } = results[`m${index}`] as { id: string; port: number | null }
    return port === null ? [] : [serviceUpdate({ id, port: null })]
  })
}

const fieldTypes = Object.fromEntries(fieldNames.map((name) => [name, 'String'])) as Record<FieldName, string>

const serviceTypes: Record<keyof ServiceFields, string> = {
  name: 'String',
  application: 'Int',
  host: 'String',
  port: 'Int',
  enabled: 'Boolean',
}

function typedArguments(
  values: Record<string, unknown> | object,
  types: Readonly<Record<string, string>>,
): MutationField['arguments'] {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { type: types[name] as string, value }]),
  )
}

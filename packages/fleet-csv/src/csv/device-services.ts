import type { ServiceEntry } from './services-cell.ts'

export interface ApplicationType {
  id: number
  name: string
  port: number | null
}

export interface ServiceFields {
  name: string
  application: number
  host: string | null
  port: number | null
  enabled: boolean
}

/**
 * Returns the fields of the service that an entry describes. The entry identifies the service's type by its ID or
 * case-insensitive name. If the entry does not specify a port, the service gets the type's default port, if any. Throws
 * an Error if the type is unknown.
 */
export function toServiceFields(entry: ServiceEntry, types: readonly ApplicationType[]): ServiceFields {
  const { name, type: typeName, host, port, enabled } = entry
  const type =
    types.find((type) => equalsIgnoringCase(type.name, typeName)) ?? types.find(({ id }) => String(id) === typeName)
  if (type === undefined)
    throw new Error(
      `services: unknown type ${JSON.stringify(typeName)}; write a known type, such as ssh, or tcp or udp for any other service`,
    )
  return { name, application: type.id, host, port: port === undefined ? type.port : port, enabled }
}

export function toServiceEntry(service: ServiceFields, types: readonly ApplicationType[]): ServiceEntry {
  const { name, application, host, port, enabled } = service
  const type = types.find(({ id }) => id === application)
  const typeName = type?.name.toLowerCase() ?? String(application)
  return {
    name,
    // If the type and the name differ only in case, spell the type like the name. The cell then does not repeat the
    // name.
    type: equalsIgnoringCase(typeName, name) ? name : typeName,
    host,
    port: port === null && (type?.port ?? null) === null ? undefined : port,
    enabled,
  }
}

const equalsIgnoringCase = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

import type { ServiceEntry } from './services-cell.ts'

export interface ApplicationType {
  id: number
  name: string
  port: number | null
}

/** A service as the API gives and takes it. */
export interface ServiceFields {
  name: string
  application: number
  host: string | null
  port: number | null
  enabled: boolean
}

/** The entry with its type looked up, by name (case aside) or id, and the type's usual port where none is written. */
export function toServiceFields(entry: ServiceEntry, types: readonly ApplicationType[]): ServiceFields {
  const { name, type: typeName, host, port, enabled } = entry
  const type = types.find((type) => sameText(type.name, typeName)) ?? types.find(({ id }) => String(id) === typeName)
  if (type === undefined) {
    throw new Error(
      `services: there is no application type ${JSON.stringify(typeName)}; the query { applicationTypes { id name } } lists them`,
    )
  }
  return { name, application: type.id, host, port: port === undefined ? type.port : port, enabled }
}

/** The entry that `toServiceFields` reads as this service. */
export function toServiceEntry(service: ServiceFields, types: readonly ApplicationType[]): ServiceEntry {
  const { name, application, host, port, enabled } = service
  const type = types.find(({ id }) => id === application)
  const typeName = type?.name.toLowerCase() ?? String(application)
  return {
    name,
    // A service called like its type is written once, as it is called.
    type: sameText(typeName, name) ? name : typeName,
    host,
    port: port === null && (type?.port ?? null) === null ? undefined : port,
    enabled,
  }
}

const sameText = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

import { badInput } from '../../errors.ts'
import { assertName, assertVisible } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import { newId } from '../devices/device-id.ts'
import { applicationTypeForPort, BULK_SERVICE, findApplicationType, TCP } from './application-types.ts'

export interface ServiceInput {
  name: string
  application?: number | null | undefined
  host?: string | null | undefined
  port?: number | null | undefined
  enabled?: boolean | null | undefined
}

export interface ServiceFields {
  name: string
  application: number
  host: string | null
  port: number | null
  enabled: boolean
}

/** Validates the fields and fills in defaults. In error messages, `path` precedes the names of arguments. */
export function newService(input: ServiceInput, path: string): ServiceFields & { id: string } {
  assertServiceFields(input, path)
  const port = input.port ?? null
  const application = input.application ?? (port === null ? TCP : applicationTypeForPort(port).id)
  return {
    id: newId(),
    name: input.name,
    application,
    host: input.host ?? null,
    port: port ?? findApplicationType(application)?.port ?? null,
    enabled: input.enabled ?? true,
  }
}

export function assertServiceFields(input: Partial<ServiceInput>, path: string): void {
  const { name, application, host, port } = input
  if (name != null) assertName(name, `${path}name`, limits.serviceNameLength)
  if (application != null) assertApplication(application, `${path}application`)
  if (host != null) assertHost(host, `${path}host`)
  if (port != null && (port < 1 || port > 65_535)) throw badInput(`${path}port must be from 1 to 65535, not ${port}`)
}

function assertApplication(id: number, path: string): void {
  if (findApplicationType(id) === undefined)
    throw badInput(
      `${path} must be the ID of an application type, such as 28 for SSH (see the query applicationTypes), found ${id}`,
    )
  if (id === BULK_SERVICE)
    throw badInput(`${path} must not be ${BULK_SERVICE}: every device already has a bulk service`)
}

function assertHost(host: string, path: string): void {
  assertName(host, path, limits.hostLength)
  assertVisible(host, path)
  if (/[\s\p{Cc}/]/u.test(host))
    throw badInput(
      `${path} must be a host name or an IP address without spaces, slashes, or control characters, ` +
        `such as gateway.local or 192.168.1.5, found ${JSON.stringify(host)}`,
    )
}

import { limits } from '../../limits.ts'
import type { DeviceInput } from '../devices/changes/device-changes.ts'
import type { ServiceInput } from '../services/new-service.ts'
import type { CodeTemplate } from './registration-code.ts'

export interface RegistrationRequest {
  code: string
  hardwareId: string
  name?: string | undefined
  platform?: string | undefined
  services?: ServiceInput[] | undefined
}

/**
 * Combines a code and a request into a device. The code supplies the attributes, and the code's services come first.
 * Values in the request take precedence over the code's name and platform. They also take precedence over the
 * application and port of a service with the same name. If neither the code nor the request contains a name, the
 * device's name is the hardware ID, truncated if necessary.
 */
export function deviceOf(code: CodeTemplate, request: RegistrationRequest): DeviceInput {
  return {
    name: request.name ?? code.name ?? shortened(request.hardwareId),
    hardwareId: request.hardwareId,
    platform: request.platform ?? code.platform,
    services: mergeServices(code.services, request.services ?? []),
    attributes: code.attributes,
  }
}

function mergeServices(fromCode: readonly ServiceInput[], requested: readonly ServiceInput[]) {
  const byName = new Map(requested.map((service) => [service.name, service]))
  const names = new Set(fromCode.map(({ name }) => name))
  const merged = fromCode.map((service) => {
    const sent = byName.get(service.name)
    return { ...service, application: sent?.application ?? service.application, port: sent?.port ?? service.port }
  })
  const added = requested.filter(({ name }) => !names.has(name)).map((service) => ({ ...service, addedByDevice: true }))
  return [...merged, ...added]
}

const shortened = (hardwareId: string): string => Array.from(hardwareId).slice(0, limits.deviceNameLength).join('')

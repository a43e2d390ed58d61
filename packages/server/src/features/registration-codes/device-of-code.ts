import { characters } from '../../lib/text.ts'
import { limits } from '../../limits.ts'
import type { DeviceInput } from '../devices/device-changes.ts'
import type { ServiceInput } from '../services/new-service.ts'
import type { CodeTemplate } from './registration-code.ts'

/** What a device says of itself when it registers. */
export interface RegistrationRequest {
  code: string
  hardwareId: string
  name?: string | undefined
  platform?: string | undefined
  services?: ServiceInput[] | undefined
}

/**
 * What becomes of a code and a request together. Name and platform are the device's own where it gives them, else the
 * code's; a device without any name is called by its hardware id. Attributes are the code's. Of services, the code's come
 * first; where the device brings one of the same name, its port and application count and the rest is the code's.
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

function mergeServices(laidDown: readonly ServiceInput[], brought: readonly ServiceInput[]) {
  const byName = new Map(brought.map((service) => [service.name, service]))
  const names = new Set(laidDown.map(({ name }) => name))
  const merged = laidDown.map((service) => {
    const own = byName.get(service.name)
    return { ...service, application: own?.application ?? service.application, port: own?.port ?? service.port }
  })
  const added = brought.filter(({ name }) => !names.has(name)).map((service) => ({ ...service, addedByDevice: true }))
  return [...merged, ...added]
}

/** A hardware id may be longer than a name. */
const shortened = (hardwareId: string): string =>
  characters(hardwareId) <= limits.deviceNameLength
    ? hardwareId
    : Array.from(hardwareId).slice(0, limits.deviceNameLength).join('')

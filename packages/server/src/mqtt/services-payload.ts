import { limitExceeded } from '../errors.ts'
import type { DeviceServiceInput } from '../features/services/sync-services.ts'
import { readFields } from '../lib/json-fields.ts'
import { limits } from '../limits.ts'
import { readArray } from './payload.ts'

const members = ['name', 'application', 'host', 'port']

export function readServices(payload: Buffer | string): DeviceServiceInput[] {
  const items = readArray(payload)
  if (items.length > limits.servicesPerDevice)
    throw limitExceeded(`a device can have at most ${limits.servicesPerDevice} services, found ${items.length}`)
  return items.map((item, index) => {
    const fields = readFields(item, `services[${index}].`, members)
    return {
      name: fields.text('name'),
      application: fields.optionalInteger('application'),
      host: fields.optionalText('host'),
      port: fields.optionalInteger('port'),
    }
  })
}

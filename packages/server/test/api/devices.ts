import { expect } from 'vitest'
import type { TestUser } from '../harness/app.ts'

/** Registers a device. Selects the device and its secret. */
export const register = `mutation ($name: String!, $hardwareId: String, $platform: String, $services: [ServiceInput!], $attributes: Object) {
  registerDevice(name: $name, hardwareId: $hardwareId, platform: $platform, services: $services, attributes: $attributes) {
    secret
    device { id name hardwareId platform state online lastReported stateSince created attributes owner { id email }
      services { id name application title port host enabled state } }
  }
}`

export async function newDevice(user: TestUser, name: string, fields: Record<string, unknown> = {}): Promise<string> {
  const { registerDevice } = await user.data(register, { name, ...fields })
  return registerDevice.device.id
}

export const findDevice = async (user: TestUser, id: string) =>
  (
    await user.data('query ($id: [String!]!) { login { device(id: $id) { id name hardwareId platform } } }', {
      id: [id],
    })
  ).login.device[0]

export const eventsOf = async (user: TestUser, id: string) =>
  (
    await user.data(
      'query ($id: [String!]) { login { events(deviceId: $id) { items { type data actor { id } target { id name kind } } } } }',
      { id: [id] },
    )
  ).login.events.items

export function errorOf({
  errors,
}: {
  errors: { message: string; extensions: { code: string } }[] | undefined
}): [string, string] {
  expect(errors).toHaveLength(1)
  return [errors![0]!.extensions.code, errors![0]!.message]
}

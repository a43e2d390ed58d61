import type { TestUser } from '../harness/app.ts'

/** Registers a device with a service. Returns the device's ID. */
export async function newDevice(user: TestUser, attributes: object = {}): Promise<string> {
  const { registerDevice } = await user.data(
    `mutation ($attributes: Object) {
      registerDevice(name: "gate", services: [{ name: "ssh" }], attributes: $attributes) { device { id } } }`,
    { attributes },
  )
  return registerDevice.device.id
}

/** Sets attributes of a device or a service, in a context if one is given. */
export const set = (user: TestUser, id: string, attributes: object, context?: string) =>
  user.data(
    'mutation ($id: String!, $attributes: Object!, $context: String) { setAttributes(serviceId: $id, attributes: $attributes, context: $context) }',
    { id, attributes, context },
  )

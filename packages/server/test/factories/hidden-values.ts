import type { TestApp, TestUser } from '../harness/app.ts'
import { type Json, keyOf, sendAsUser } from './keys.ts'

/** A user with a device, a service, and values that a key from `createReader` cannot read. */
export interface HiddenValues {
  user: TestUser
  device: string
  service: string
  /** Creates a key that is restricted to these attributes, such as `{ read: ["site"], write: [] }`. */
  createKey(attributes: string, moreAccess?: string): Promise<TestUser & { accessKey: Json }>
  createReader(): Promise<TestUser>
}

/** The error of a request that reads or sets an attribute to which the key has no access. */
export const forbiddenAttribute = { code: 'FORBIDDEN', reason: 'attribute' }

/**
 * Creates a user with readable and hidden attributes, both as base values and in the context `night`. The context
 * `private` contains only hidden attributes.
 */
export async function newUserWithHiddenValues(app: TestApp): Promise<HiddenValues> {
  const user = await app.createUser()
  const { registerDevice } = await user.data(
    `mutation ($attributes: Object) { registerDevice(name: "one", attributes: $attributes, services: [{ name: "ssh" }]) {
      device { id services { id } } } }`,
    {
      attributes: {
        site: 'oslo',
        secret: 'hidden',
        net: { wifi: 'w', wired: 'x', ssid: 'hidden' },
        status: { fan: 'ok' },
        $svc: { statusA: 'a', categoryA: 'hidden' },
      },
    },
  )
  const device = registerDevice.device.id
  const service = registerDevice.device.services[0].id
  for (const id of [device, service, user.accountId])
    for (const [name, context] of [
      ['secret', 'private'],
      ['site', 'night'],
      ['secret', 'night'],
    ])
      await user.data(
        `mutation { setAttribute(serviceId: "${id}", name: "${name}", value: "hidden-${name}", context: "${context}") }`,
      )
  for (const id of [service, user.accountId])
    await user.data(`mutation { setAttributes(serviceId: "${id}", attributes: { site: "oslo", secret: "hidden" }) }`)
  const createKey: HiddenValues['createKey'] = (attributes, moreAccess = '') =>
    keyOf(app, sendAsUser(user), `access: { attributes: ${attributes}${moreAccess} }`)
  return {
    user,
    device,
    service,
    createKey,
    createReader: () => createKey('{ read: ["site", "net.w*"], write: ["status.*", "$svc.statusA"] }'),
  }
}

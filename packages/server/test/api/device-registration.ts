import type { TestApp, TestUser } from '../harness/app.ts'
import { basic, type DeviceAnswer, post } from '../clients/http-device.ts'

/** What devices and the owner of their codes do on a server. */
export interface Registrations {
  app: TestApp
  owner: TestUser
  newCode(variables?: Record<string, unknown>, user?: TestUser): Promise<{ code: string; id: string }>
  register(body: unknown, authorization?: string): Promise<DeviceAnswer>
  /** Whether a device can report by this secret. */
  worksAt(deviceId: string, secret: string): Promise<boolean>
}

const create = `mutation ($name: String, $platform: String, $services: [ServiceInput!], $attributes: Object, $uses: Int, $expires: DateTime) {
  createRegistrationCode(name: $name, platform: $platform, services: $services, attributes: $attributes, uses: $uses, expires: $expires) {
    code registrationCode { id } } }`

/** The same where nobody has guessed yet. */
export interface Registering extends Registrations {
  /** Time passes on the server. */
  pass(milliseconds: number): void
}

/** Guesses are counted by address, and all come from one here: a server of its own, on the database of `site`. */
export async function openRegistering(site: TestApp): Promise<Registering> {
  let ahead = 0
  const app = await site.startAnother({ clock: () => new Date(Date.now() + ahead) })
  return {
    ...registrationsOn(app),
    pass(milliseconds) {
      ahead += milliseconds
    },
  }
}

export function registrationsOn(app: TestApp): Registrations {
  const { owner } = app
  return {
    app,
    owner,
    async newCode(variables = {}, user = owner) {
      const { code, registrationCode } = (await app.as(user).data(create, variables)).createRegistrationCode
      return { code, id: registrationCode.id }
    },
    register: (body, authorization) => post(app, 'register', body, authorization),
    worksAt: async (deviceId, secret) =>
      (await post(app, 'report', { state: 'active' }, basic(deviceId, secret))).status === 200,
  }
}

let hardware = 0
export const newHardwareId = (): string => `HW-${++hardware}`

export const rotate = `mutation ($id: String!, $allow: Boolean! = false) {
  rotateDeviceSecret(deviceId: $id, allow: $allow) { secret device { id } } }`

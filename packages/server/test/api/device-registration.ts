import { basic, type DeviceResponse, post } from '../clients/http-device.ts'
import type { TestApp, TestUser } from '../harness/app.ts'

/** Acts as the owner of registration codes and as the devices that register with them. */
export interface RegistrationClient {
  app: TestApp
  owner: TestUser
  newCode(variables?: Record<string, unknown>, user?: TestUser): Promise<{ code: string; id: string }>
  register(body: unknown, authorization?: string): Promise<DeviceResponse>
  canReport(deviceId: string, secret: string): Promise<boolean>
}

const create = `mutation ($name: String, $platform: String, $services: [ServiceInput!], $attributes: Object, $uses: Int, $expires: DateTime) {
  createRegistrationCode(name: $name, platform: $platform, services: $services, attributes: $attributes, uses: $uses, expires: $expires) {
    code registrationCode { id } } }`

/** A client of a separate server that has not received any invalid codes. */
export interface RegistrationServer extends RegistrationClient {
  advanceClock(milliseconds: number): void
}

/**
 * Starts a separate server. Each test that guesses codes needs a separate server, because a server counts the invalid
 * codes of each client address.
 */
export async function startRegistrationServer(first: TestApp): Promise<RegistrationServer> {
  let ahead = 0
  const app = await first.startAnother({ clock: () => new Date(Date.now() + ahead) })
  return {
    ...registrationClient(app),
    advanceClock(milliseconds) {
      ahead += milliseconds
    },
  }
}

export function registrationClient(app: TestApp): RegistrationClient {
  const { owner } = app
  return {
    app,
    owner,
    async newCode(variables = {}, user = owner) {
      const { code, registrationCode } = (await app.as(user).data(create, variables)).createRegistrationCode
      return { code, id: registrationCode.id }
    },
    register: (body, authorization) => post(app, 'register', body, authorization),
    canReport: async (deviceId, secret) =>
      (await post(app, 'report', { state: 'active' }, basic(deviceId, secret))).status === 200,
  }
}

let hardware = 0
export const newHardwareId = (): string => `HW-${++hardware}`

export const rotate = `mutation ($id: String!, $allow: Boolean! = false) {
  rotateDeviceSecret(deviceId: $id, allow: $allow) { secret device { id } } }`

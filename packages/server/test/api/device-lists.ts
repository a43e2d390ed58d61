import { type SeedDevice, seedDevices } from '../factories/seed-devices.ts'
import type { TestApp, TestUser } from '../harness/app.ts'

const document = `query ($size: Int, $from: Int, $after: ID, $last: String, $sort: String, $name: String, $state: String, $id: [String!],
  $hardwareId: String, $platform: [String!], $application: [Int!], $attributes: Object, $context: String) {
  login {
    devices(size: $size, from: $from, after: $after, last: $last, sort: $sort, name: $name, state: $state, id: $id,
      hardwareId: $hardwareId, platform: $platform, application: $application, attributes: $attributes, context: $context) {
      items { id name } total hasMore last cursor
    }
  }
}`

export interface DevicePage {
  items: { id: string; name: string }[]
  total: number
  hasMore: boolean
  last: string | null
  cursor: string | null
}

export const list = async (user: TestUser, variables: Record<string, unknown> = {}): Promise<DevicePage> =>
  (await user.data(document, variables)).login.devices

export const names = async (user: TestUser, variables: Record<string, unknown> = {}): Promise<string[]> =>
  (await list(user, variables)).items.map(({ name }) => name)

export const listError = async (
  user: TestUser,
  variables: Record<string, unknown>,
): Promise<[code: string, message: string]> => {
  const { errors } = await user.query(document, variables)
  const [error] = errors ?? []
  return [error?.extensions.code ?? 'no error', error?.message ?? '']
}

export async function createUserWithDevices(
  app: TestApp,
  devices: readonly SeedDevice[],
): Promise<{ user: TestUser; ids: string[] }> {
  const user = await app.createUser()
  return { user, ids: await seedDevices(app.db, user.accountId, devices) }
}

export const devicesNamed = (...deviceNames: string[]): SeedDevice[] => deviceNames.map((name) => ({ name }))

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { seedDevices } from '../../../test/factories/seed-devices.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { sumDeviceCounts } from './device-count.jobs.ts'

const app = sharedTestApp()

const total = async (user: TestUser): Promise<number> =>
  (await user.data('{ login { devices(size: 1) { total } } }')).login.devices.total

async function register(user: TestUser): Promise<string> {
  const { registerDevice } = await user.data('mutation { registerDevice(name: "pump") { device { id } } }')
  return registerDevice.device.id
}

const remove = (user: TestUser, ids: string[]) =>
  user.data('mutation ($ids: [String!]!) { deleteDevices(deviceId: $ids, force: true) }', { ids })

const rowsOf = async ({ accountId }: TestUser): Promise<number> =>
  (await sql`select from device_count where account_id = ${accountId}`.execute(app.db)).rows.length

test('counts registered and deleted devices separately for each user', async () => {
  const user = await app.createUser()
  const other = await app.createUser()
  expect(await total(user)).toBe(0)
  const ids = await Promise.all(Array.from({ length: 12 }, () => register(user)))
  await register(other)
  expect(await total(user)).toBe(12)
  await Promise.all([remove(user, ids.slice(0, 3)), remove(user, ids.slice(3, 5)), register(user)])
  expect([await total(user), await total(other)]).toEqual([8, 1])
})

test('does not count a failed registration', async () => {
  const user = await app.createUser()
  const withHardwareId = 'mutation { registerDevice(name: "pump", hardwareId: "taken") { device { id } } }'
  const responses = await Promise.all(Array.from({ length: 5 }, () => user.query(withHardwareId)))
  expect(responses.filter(({ errors }) => errors === undefined)).toHaveLength(1)
  expect(await total(user)).toBe(1)
})

test('keeps the total correct when counts are merged while devices are added and deleted', async () => {
  const user = await app.createUser()
  const ids = await seedDevices(
    app.db,
    user.accountId,
    Array.from({ length: 20 }, (_, number) => ({ name: `pump ${number}` })),
  )
  const [first, second] = [ids.slice(0, 10), ids.slice(10)]
  await Promise.all([
    ...Array.from({ length: 10 }, () => register(user)),
    ...Array.from({ length: 5 }, () => sumDeviceCounts(app.db)),
    ...first.map((id) => remove(user, [id])),
  ])
  expect(await total(user)).toBe(20)
  await sumDeviceCounts(app.db)
  expect([await total(user), await rowsOf(user)]).toEqual([20, 1])
  await remove(user, second)
  expect(await total(user)).toBe(10)
})

test('leaves no counts after the deletion of an account and its devices', async () => {
  const user = await app.createUser()
  await register(user)
  await register(user)
  await app.db.deleteFrom('account').where('id', '=', user.accountId).execute()
  await sumDeviceCounts(app.db)
  expect(await rowsOf(user)).toBe(0)
})

import { checkFilter } from '@muster/filter'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Json, keyOf, sendAsUser } from '../../../test/factories/keys.ts'
import { seedDevices } from '../../../test/factories/seed-devices.ts'
import { deviceFilter, fleet } from '../../../test/filters/arbitraries.ts'
import { startTestApp, type TestApp } from '../../../test/harness/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const RESTRICTIONS = 25
const FILTERS = 4

const document = `query ($where: String, $context: String) { login {
  devices(where: $where, context: $context, size: 1000) { items { id } total }
  deviceTotals(where: $where, context: $context) { total }
  facets(by: ["platform"], where: $where, context: $context, size: 100) { total missing other buckets { value count } }
  services(size: 1000) { items { device { id } } total }
  events(size: 1000) { items { target { id kind } } total } } }`

/** Checks whether a role or key may contain the filter. */
const isAllowed = (where: string): boolean => {
  const { isValid, canonical } = checkFilter(where, { usage: 'accessKey' })
  return isValid && canonical !== null && canonical !== ''
}

test('returns the same to a restricted key as to an unrestricted key with the same filter', {
  timeout: 600_000,
}, async () => {
  const user = await app.createUser()
  const [devices] = fc.sample(fleet, 1)
  await seedDevices(
    app.db,
    user.accountId,
    devices!.map(({ id, name, hardwareId, platform, attributes: { $svc: _svc, ...attributes } }) => ({
      ...{ id, name, hardwareId, platform, attributes },
    })),
  )
  const allowed = fc.sample(deviceFilter, 40 * RESTRICTIONS).filter(isAllowed)
  let compared = 0
  for (const [index, restriction] of allowed.slice(0, RESTRICTIONS).entries()) {
    const context = index % 2 === 0 ? '' : ', context: "night"'
    const access = `access: { where: ${JSON.stringify(restriction)}${context} }`
    const created = await user.query(`mutation { createAccessKey(${access}) { key } }`)
    // Filters with names that the account does not know are rejected.
    if (created.errors !== undefined) continue
    const key = await keyOf(app, sendAsUser(user), access)
    const filtered = `query ($where: String) { login { devices(where: $where${context}, size: 1000) { items { id } total } } }`
    const inside: Json = (await user.data(filtered, { where: restriction })).login.devices
    const ids = new Set(inside.items.map(({ id }: Json) => id))
    for (const where of [undefined, ...fc.sample(deviceFilter, FILTERS)]) {
      const variables = { where, context: index % 3 === 0 ? 'night' : undefined }
      const all = await user.query(document, variables)
      const found = await key.query(document, variables)
      expect(found.errors?.[0]?.extensions.code, where).toBe(all.errors?.[0]?.extensions.code)
      if (all.errors !== undefined) continue
      compared++
      const { login } = found.data as Json
      const expected = (all.data as Json).login.devices.items
        .map(({ id }: Json) => id)
        .filter((id: string) => ids.has(id))
      expect(login.devices.items.map(({ id }: Json) => id).toSorted(), restriction).toEqual(expected.toSorted())
      expect(login.devices.total).toBe(expected.length)
      expect(login.deviceTotals.total).toBe(expected.length)
      const [{ buckets, missing, other }] = login.facets
      expect(buckets.reduce((sum: number, { count }: Json) => sum + count, missing + other)).toBe(expected.length)
      expect(login.services.items.every(({ device }: Json) => ids.has(device.id))).toBe(true)
      expect(login.services.total).toBe(login.services.items.length)
      expect(login.events.items.every(({ target }: Json) => target.some(({ id }: Json) => ids.has(id)))).toBe(true)
    }
    await user.data(
      `mutation { deleteAccessKey(key: "${created.data!.createAccessKey.key}") deleted: deleteAccessKey(key: "${key.keyId}") }`,
    )
  }
  expect(compared).toBeGreaterThan(10)
})

import { beforeEach, describe, expect, it } from 'vitest'
import { rowsWithoutUsage } from '../../../test/access/account-rows.ts'
import { forbiddenAttribute, newUserWithHiddenValues } from '../../../test/factories/hidden-values.ts'
import { failure, type Json, keyOf, NOTIFIED, sendAsUser } from '../../../test/factories/keys.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { sendAs } from '../../../test/harness/server-process.ts'

const app = sharedTestApp()

let user: TestUser
/** A key that is restricted to the devices in Oslo. */
let oslo: TestUser
let inside: { id: string; service: string }
let outside: { id: string; service: string }
beforeEach(async () => {
  user = await app.createUser()
  inside = await register('inside', 'oslo')
  outside = await register('outside', 'bergen')
  oslo = await create('{ where: "site = oslo" }')
})

async function register(name: string, site: string): Promise<{ id: string; service: string }> {
  const { registerDevice } = await user.data(
    `mutation ($name: String!, $attributes: Object) { registerDevice(name: $name, hardwareId: $name, attributes: $attributes,
      services: [{ name: "ssh", port: 22 }]) { device { id services { id } } } }`,
    { name, attributes: { site } },
  )
  return { id: registerDevice.device.id, service: registerDevice.device.services[0].id }
}

const create = (access: string): Promise<TestUser> => keyOf(app, sendAsUser(user), `access: ${access}`)

const rows = (): Promise<Json> => rowsWithoutUsage(app.db, user.accountId)

async function rejected(caller: TestUser, mutation: string): Promise<Json> {
  const before = await rows()
  const result = failure(await caller.query(`mutation { ${mutation} }`))
  expect(await rows(), mutation).toEqual(before)
  return result
}

const done = (caller: TestUser, mutation: string): Promise<Json> => caller.data(`mutation { ${mutation} }`)

describe('a restricted key', () => {
  it('changes devices inside its restriction', async () => {
    const { id, service } = inside
    await done(oslo, `setAttribute(serviceId: "${id}", name: "rack", value: "1")`)
    await done(oslo, `setAttribute(serviceId: "${id}", name: "rack", value: "2", context: "night")`)
    await done(oslo, `setAttribute(serviceId: "${service}", name: "site", value: "x")`)
    await done(oslo, `setAttributes(serviceId: "${id}", attributes: { net: { ssid: "x" } })`)
    await done(oslo, `setAttribute(serviceId: "${id}", name: "$svc.statusA", value: "y")`)
    await done(oslo, `updateDevice(deviceId: "${id}", name: "renamed") { name }`)
    const { addService } = await done(oslo, `addService(deviceId: "${id}", name: "web", port: 80) { id }`)
    await done(oslo, `updateService(id: "${addService.id}", port: 8080) { port }`)
    await done(oslo, `removeService(id: "${addService.id}")`)
    await done(oslo, `reportState(serviceId: "${service}", state: "active", ttl: 60)`)
    await done(oslo, `reportState(serviceId: "${id}", state: "inactive")`)
    await done(oslo, `rotateDeviceSecret(deviceId: "${id}") { secret }`)
    const { login } = await oslo.data('{ login { devices { items { name state attributes } } } }')
    expect(login.devices.items).toEqual([
      {
        name: 'renamed',
        state: 'inactive',
        attributes: { site: 'oslo', rack: '1', net: { ssid: 'x' }, $svc: { statusA: 'y' } },
      },
    ])
    await done(oslo, `deleteDevice(deviceId: "${id}")`)
  })

  it('changes no device outside its restriction', async () => {
    const { id, service } = outside
    for (const mutation of [
      `setAttribute(serviceId: "${id}", name: "rack", value: "1")`,
      `setAttribute(serviceId: "${id}", name: "site", value: "oslo")`,
      `setAttribute(serviceId: "${id}", name: "$svc.statusA", value: "1")`,
      `setAttribute(serviceId: "${service}", name: "rack", value: "1")`,
      `setAttributes(serviceId: "${id}", attributes: { rack: "1" }, context: "night")`,
      `updateDevice(deviceId: "${id}", name: "renamed") { name }`,
      `addService(deviceId: "${id}", name: "web", port: 80) { id }`,
      `updateService(id: "${service}", port: 8080) { port }`,
      `renameService(serviceId: "${service}", name: "x")`,
      `renameService(serviceId: "${id}", name: "x")`,
      `removeService(id: "${service}")`,
      `removeService(id: "${id}")`,
      `reportState(serviceId: "${service}", state: "active")`,
      `reportState(serviceId: "${id}", state: "active")`,
      `rotateDeviceSecret(deviceId: "${id}") { secret }`,
      `deleteDevice(deviceId: "${id}")`,
      `deleteDevices(deviceId: ["${inside.id}", "${id}"])`,
    ])
      expect(await rejected(oslo, mutation), mutation).toEqual({ code: 'NOT_FOUND' })
    const { setAttributesMany } = await done(
      oslo,
      `setAttributesMany(items: [{ serviceId: "${id}", attributes: { rack: "1" } }, { serviceId: "${inside.id}",
        attributes: { rack: "1" } }, { serviceId: "${inside.id}", attributes: { site: "bergen" } }]) { code }`,
    )
    expect(setAttributesMany.map(({ code }: Json) => code)).toEqual(['NOT_FOUND', null, 'FORBIDDEN'])
  })

  it('cannot change what its own filter reads', async () => {
    const { id, service } = inside
    const forbidden = { code: 'FORBIDDEN', reason: 'device' }
    for (const mutation of [
      `setAttribute(serviceId: "${id}", name: "site", value: "bergen")`,
      `setAttribute(serviceId: "${id}", name: "site", value: null)`,
      `setAttribute(serviceId: "${id}", name: "site", value: "bergen", context: "night")`,
      `setAttributes(serviceId: "${id}", attributes: { rack: "1", site: "oslo" })`,
      `setAttribute(serviceId: "${user.accountId}", name: "x", value: "1")`,
    ])
      expect(await rejected(oslo, mutation), mutation).toEqual(forbidden)

    const inGroup = await create('{ where: "NOT attributes.net.ssid:*" }')
    expect(await rejected(inGroup, `setAttributes(serviceId: "${id}", attributes: { net: { ssid: "x" } })`)).toEqual(
      forbidden,
    )
    expect(await rejected(inGroup, `setAttribute(serviceId: "${id}", name: "net", value: null)`)).toEqual(forbidden)
    await done(inGroup, `setAttribute(serviceId: "${id}", name: "net.band", value: "5")`)

    const byName = await create('{ where: "inside" }')
    expect(await rejected(byName, `updateDevice(deviceId: "${id}", name: "x") { id }`)).toEqual(forbidden)
    expect(await rejected(byName, `updateDevice(deviceId: "${id}", hardwareId: "x") { id }`)).toEqual(forbidden)
    expect(await rejected(byName, `renameService(serviceId: "${id}", name: "x")`)).toEqual(forbidden)
    await done(byName, `updateDevice(deviceId: "${id}", platform: "x") { id }`)

    const byService = await create('{ where: "services.port = 22" }')
    for (const mutation of [
      `addService(deviceId: "${id}", name: "web", port: 80) { id }`,
      `updateService(id: "${service}", port: 80) { id }`,
      `removeService(id: "${service}")`,
      `setAttribute(serviceId: "${service}", name: "x", value: "1")`,
    ])
      expect(await rejected(byService, mutation), mutation).toEqual(forbidden)

    const byAny = await create('{ where: "any(oslo)" }')
    expect(await rejected(byAny, `setAttribute(serviceId: "${id}", name: "x", value: "1")`)).toEqual(forbidden)
    await done(byAny, `setAttribute(serviceId: "${id}", name: "x", value: "1", context: "night")`)
    const byContext = await create('{ where: "NOT contexts = day" }')
    const inDay = `setAttribute(serviceId: "${id}", name: "x", value: "1", context: "day")`
    expect(await rejected(byContext, inDay)).toEqual(forbidden)
  })

  it('registers only devices inside its restriction', async () => {
    const registration = (site: string): string =>
      `registerDevice(name: "new", hardwareId: "${site}", attributes: { site: "${site}" }) { device { name } }`
    expect(await rejected(oslo, registration('bergen'))).toEqual({ code: 'FORBIDDEN', reason: 'device' })
    expect(await rejected(oslo, 'registerDevice(name: "new") { secret }')).toEqual({
      code: 'FORBIDDEN',
      reason: 'device',
    })
    expect(await done(oslo, registration('oslo'))).toEqual({ registerDevice: { device: { name: 'new' } } })
    // The error reveals that the hardware ID is in use, even if its device is outside the restriction.
    const taken = 'registerDevice(name: "new", hardwareId: "outside", attributes: { site: "oslo" }) { secret }'
    expect(await rejected(oslo, taken)).toEqual({ code: 'CONFLICT' })
  })
})

describe('a repeated request with an Idempotency-Key', () => {
  it.each(['{ permissions: [DEVICE_READ, DEVICE_CREATE, ATTRIBUTE_WRITE] }', '{ where: "site = oslo" }'])(
    'receives no stored response after the restriction of a key with the access %s has changed',
    async (access) => {
      const { keyId, secret } = await create(access)
      const register = `mutation { registerDevice(name: "new", attributes: { site: "oslo", secret: "hidden" }) {
      device { id attributes } } }`
      const send = () =>
        sendAs({ MUSTER_ACCESS_KEY_ID: keyId, MUSTER_SECRET_ACCESS_KEY: secret }, app.url, register, {
          'idempotency-key': '"k1"',
          accept: 'application/graphql-response+json',
        })
      const first = await send()
      expect(first.body.errors).toBeUndefined()
      expect(await send()).toEqual(first)
      await done(
        user,
        `updateAccessKey(key: "${keyId}", access: { attributes: { read: ["site"], write: [] } }) { key }`,
      )
      await expect.poll(async () => (await send()).status, NOTIFIED).toBe(409)
      const { body } = await send()
      const { id } = first.body.data.registerDevice.device
      expect(body.errors[0].extensions).toEqual({
        code: 'CONFLICT',
        reason: 'already-created',
        created: { kind: 'device', id },
      })
      expect(JSON.stringify(body)).not.toContain('hidden')
    },
  )
})

describe('a key that is restricted to some attributes', () => {
  it('sets only the attributes that it is allowed to set', async () => {
    const { user: owner, device, service, createKey, createReader } = await newUserWithHiddenValues(app)
    const key = await createReader()
    const narrow = await createKey('{ read: ["*"], write: ["status.a*"] }')
    const before = await rowsWithoutUsage(app.db, owner.accountId)
    for (const [caller, mutation] of [
      [key, `setAttribute(serviceId: "${device}", name: "site", value: "x")`],
      [key, `setAttribute(serviceId: "${owner.accountId}", name: "secret", value: "x")`],
      [key, `setAttribute(serviceId: "${service}", name: "site", value: null, context: "night")`],
      [key, `setAttributes(serviceId: "${device}", attributes: { status: { fan: "x" }, site: "y" })`],
      [key, `setAttribute(serviceId: "${device}", name: "net", value: null)`],
      [narrow, `setAttribute(serviceId: "${device}", name: "status", value: null)`],
      [narrow, `setAttribute(serviceId: "${device}", name: "status.fan", value: "x")`],
      [key, 'registerDevice(name: "x", attributes: { secret: "x" }) { secret }'],
    ] as const)
      expect(failure(await caller.query(`mutation { ${mutation} }`)), mutation).toEqual(forbiddenAttribute)
    expect(await rowsWithoutUsage(app.db, owner.accountId)).toEqual(before)
    const { setAttributes, setAttributesMany } = await key.data(`mutation {
      setAttributes(serviceId: "${device}", attributes: { status: { fan: "new" } })
      setAttributesMany(items: [{ serviceId: "${device}", attributes: { status: { x: "1" } } },
        { serviceId: "${device}", attributes: { secret: "x" } }]) { attributes code } }`)
    expect(JSON.stringify([setAttributes, setAttributesMany])).not.toContain('hidden')
    expect(setAttributesMany.map(({ code }: Json) => code)).toEqual([null, 'FORBIDDEN'])
    await key.data(`mutation { setAttribute(serviceId: "${device}", name: "status", value: null) }`)
  })
})

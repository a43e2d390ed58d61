import fc from 'fast-check'
import { beforeEach, describe, expect, it, test } from 'vitest'
import { rowsWithoutUsage } from '../../../test/access/account-rows.ts'
import { denied, granted, simulate } from '../../../test/api/simulations.ts'
import { asMember, failure, type Json, keyOf, type Sender, sendAsUser } from '../../../test/factories/keys.ts'
import { addMember, newMember } from '../../../test/factories/member.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { query } from '../../db/database.ts'
import { permissionNames } from '../../permissions.ts'

const app = sharedTestApp()

let user: TestUser
let oslo: string
let bergen: string
beforeEach(async () => {
  user = await app.createUser()
  const register = async (name: string, site: string): Promise<string> => {
    const attributes = `{ site: "${site}", net: { wifi: "x" } }`
    const created = await user.data(
      `mutation { registerDevice(name: "${name}", attributes: ${attributes}) { device { id } } }`,
    )
    return created.registerDevice.device.id
  }
  oslo = await register('one', 'oslo')
  bergen = await register('two', 'bergen')
})

const asOwner = (args: string): Promise<Json> => simulate(sendAsUser(user), args)

const attempt = async (send: Sender, args: string) =>
  failure(await send(`{ login { simulate(${args}) { permissions { granted } } } }`))

const lacking = (permission: string) => ({
  code: 'FORBIDDEN',
  reason: 'permission',
  missing: [{ field: 'User.simulate', permission }],
})

test('matches the decisions of the server for keys with random access', { timeout: 600_000 }, async () => {
  const documents = [
    '{ login { id } }',
    '{ login { devices { total } } }',
    '{ login { events { total } } }',
    '{ login { webhooks { id } } }',
    '{ login { needs(document: "{ version }") { field } } }',
    'query ($with: Boolean = false) { login { id webhooks @include(if: $with) { id } } }',
    'mutation { deleteDevice(deviceId: "80:00:00:00:00:00:00:00") }',
    'mutation { createView(name: "") { id } }',
  ]
  const scopes = [
    '{ read: ["site"], write: ["net.*"] }',
    '{ read: [], write: ["site", "net.w*"] }',
    '{ write: ["other"] }',
  ]
  const access = fc.record({
    permissions: fc.subarray([
      'DEVICE_READ',
      'EVENT_READ',
      'ATTRIBUTE_WRITE',
      'DEVICE_DELETE',
      'WEBHOOK_MANAGE',
      'VIEW_MANAGE',
    ]),
    where: fc.option(fc.constantFrom('site = oslo', 'name = one', 'any(ber)', 'net.wifi = x')),
    attributes: fc.option(fc.constantFrom(...scopes)),
    readOnly: fc.boolean(),
    enabled: fc.boolean(),
    network: fc.option(fc.constantFrom('127.0.0.0/8', '192.0.2.0/24')),
  })
  let restricted = 0
  const check = async (given: typeof access extends fc.Arbitrary<infer Given> ? Given : never): Promise<void> => {
    const { where, attributes, readOnly, enabled, network } = given
    const isRestricted = where !== null || attributes !== null
    if (isRestricted) restricted++
    const permissions = given.permissions.filter((name) => !isRestricted || !name.endsWith('_MANAGE'))
    const parts = [
      `permissions: [${permissions}]`,
      ...(where === null ? [] : [`where: ${JSON.stringify(where)}`]),
      ...(attributes === null ? [] : [`attributes: ${attributes}`]),
    ]
    const networks = network === null ? '' : `, networks: ["${network}"]`
    const key = await keyOf(app, sendAsUser(user), `access: { ${parts} }, readOnly: ${readOnly}${networks}`)
    if (!enabled) await user.data(`mutation { updateAccessKey(key: "${key.keyId}", enabled: false) { key } }`)
    const subject = `key: "${key.keyId}", address: "127.0.0.1"`
    for (const document of documents) {
      const { allowed } = await asOwner(`${subject}, document: ${JSON.stringify(document)}`)
      const { errors } = await key.query(document)
      const { reason } = failure({ errors: errors as Json[] })
      const isClosed = errors?.some(({ message }) => /read-only|cannot use/.test(message))
      const isRejected = /^key-/.test(reason ?? '') || reason === 'permission' || isClosed === true
      expect([document, allowed], JSON.stringify(given)).toEqual([document, !isRejected])
    }
    for (const device of [oslo, bergen, '80:00:00:00:00:00:00:00']) {
      for (const name of ['site', 'net.wifi', 'free', 'other']) {
        const simulated = await asOwner(`${subject}, deviceId: "${device}", attribute: "${name}"`)
        const found = await key.query(`{ login { device(id: "${device}") { id } } }`)
        const isFound = (found.data?.login as Json)?.device.length === 1
        expect(simulated.deviceReachable, JSON.stringify(given)).toBe(isFound)
        const before = await user.data(`{ login { device(id: "${device}") { attribute(name: "${name}") } } }`)
        const value = (before.login as Json).device[0]?.attribute ?? null
        if (value !== null) {
          const read = await key.query(`{ login { device(id: "${device}") { attribute(name: "${name}") } } }`)
          expect(simulated.attributeReadable, JSON.stringify(given)).toBe(
            (read.data?.login as Json)?.device[0]?.attribute === value,
          )
        }
        const set = await key.query(
          `mutation { setAttribute(serviceId: "${device}", name: "${name}", value: "${value ?? 'v'}") }`,
        )
        expect([name, simulated.attributeWritable], JSON.stringify(given)).toEqual([name, set.errors === undefined])
        if (value === null && set.errors === undefined)
          await user.data(`mutation { setAttribute(serviceId: "${device}", name: "${name}", value: null) }`)
      }
    }
    const counted = await key.query('{ login { devices { total } } }')
    const { devices } = await asOwner(subject)
    expect(devices, JSON.stringify(given)).toBe((counted.data?.login as Json)?.devices.total ?? 0)
    await user.data(`mutation { deleteAccessKey(key: "${key.keyId}") }`)
  }
  for (const given of fc.sample(access, 20)) await check(given)
  expect(restricted).toBeGreaterThan(5)
})

describe('the simulation of a key', () => {
  it('explains why the server would reject it, and changes nothing', async () => {
    const key = await keyOf(
      app,
      sendAsUser(user),
      'access: { permissions: [DEVICE_READ] }, networks: ["192.0.2.0/24"], readOnly: true',
    )
    const subject = `key: "${key.keyId}"`
    const before = await rowsWithoutUsage(app.db, user.accountId)
    const document = 'mutation { deleteDevice(deviceId: "x") }'
    expect(await asOwner(`${subject}, document: ${JSON.stringify(document)}`)).toMatchObject({
      allowed: false,
      deviceReachable: null,
      attributeReadable: null,
      devices: 2,
      reasons: expect.arrayContaining(['the key is read-only', 'the key lacks DEVICE_DELETE']),
      warnings: [],
    })
    const elsewhere = await asOwner(`${subject}, address: "198.51.100.1", document: "{ login { id } }"`)
    expect(elsewhere).toMatchObject({
      allowed: false,
      devices: 0,
      permissions: expect.arrayContaining([{ permission: 'DEVICE_READ', granted: false, deniedBy: 'key' }]),
    })
    expect(elsewhere.reasons[0]).toBe('the key cannot be used from 198.51.100.1')
    expect(await rowsWithoutUsage(app.db, user.accountId)).toEqual(before)
    const [{ lastUsed }] = (await user.data(`{ login { accessKeys(key: ["${key.keyId}"]) { lastUsed } } }`)).login
      .accessKeys
    expect(lastUsed).toBeNull()

    await user.data(`mutation { updateAccessKey(key: "${key.keyId}", enabled: false) { key } }`)
    expect((await asOwner(subject)).reasons[0]).toBe('the key is disabled')
    await user.data(`mutation { updateAccessKey(key: "${key.keyId}", enabled: true) { key } }`)
    await query(app.db, 'update restricted_key set expires = $2 where account_id = $3 and key = $1', [
      key.keyId,
      new Date(0),
      user.accountId,
    ])
    expect((await asOwner(subject)).reasons[0]).toBe('the key expired at 1970-01-01T00:00:00.000Z')
  })

  it('considers the key policy and the role of the creator', async () => {
    const person = await newMember(app, user.accountId, 'operator')
    const key = await keyOf(app, asMember(app, person), 'personal: true')
    const subject = `key: "${key.keyId}"`
    const admin = asMember(app, await newMember(app, user.accountId, 'admin'))
    expect(await asOwner(subject)).toMatchObject({ devices: 2 })
    await admin(`mutation { setMemberRole(personId: "${person.id}", roleId: "viewer") { role { id } } }`)
    const limited = await asOwner(subject)
    expect(granted(limited)).toEqual(['DEVICE_READ', 'EVENT_READ', 'KEY_OWN'])
    expect(denied(limited)).toMatchObject({ DEVICE_WRITE: 'role', WEBHOOK_MANAGE: 'key' })
    expect(limited.reasons).toContain('the role viewer lacks DEVICE_WRITE')
    await admin('mutation { setKeyPolicy(maxDays: 7, enforcedFrom: "2020-01-01T00:00:00Z") { maxDays } }')
    const suspended = await simulate(admin, subject)
    expect(denied(suspended)).toMatchObject({ DEVICE_READ: 'policy', DEVICE_WRITE: 'role' })
    expect(suspended.reasons[0]).toBe('the key breaks the key policy: maxDays')
    await admin('mutation { setKeyPolicy(maxDays: null, enforcedFrom: null) { maxDays } }')
    await query(app.db, 'update person set disabled = now() where id = $1', [person.id])
    const disabled = await asOwner(subject)
    expect(denied(disabled)).toMatchObject({ DEVICE_READ: 'creator' })
    expect(disabled.devices).toBe(0)
  })

  it('warns about values that devices can change, and says that the key cannot set what its filter reads', async () => {
    const where = 'site = oslo AND name = (one OR two) AND NOT services:*'
    const simulated = await asOwner(`access: { where: "${where}" }, deviceId: "${oslo}", attribute: "site"`)
    expect(simulated).toMatchObject({
      deviceReachable: true,
      attributeReadable: true,
      attributeWritable: false,
      devices: 1,
    })
    expect(simulated.warnings).toEqual([
      'the filter reads site, which devices can set themselves',
      'the filter reads name, which devices can set when they register with a code',
      'the filter reads services, which devices can change themselves',
    ])
    expect(simulated.reasons[0]).toBe('cannot set the attribute site, because the filter reads it')
  })
})

describe('a caller who may not simulate everything', () => {
  it('can simulate its own key and, without a restriction, its own person and role', async () => {
    const key = await keyOf(
      app,
      sendAsUser(user),
      'access: { permissions: [DEVICE_READ], where: "site = oslo", attributes: { read: ["site"], write: [] } }',
    )
    const send = sendAsUser(key)
    expect(await simulate(send, `key: "${key.keyId}", deviceId: "${bergen}"`)).toMatchObject({
      devices: 1,
      deviceReachable: false,
    })
    const person = await newMember(app, user.accountId, 'viewer')
    const member = asMember(app, person)
    for (const args of [`personId: "${person.id}"`, 'roleId: "viewer"'])
      expect(granted(await simulate(member, args))).toEqual(['DEVICE_READ', 'EVENT_READ', 'KEY_OWN'])
    const personal = await keyOf(app, member, 'personal: true')
    expect(await simulate(member, `key: "${personal.keyId}"`)).toMatchObject({ devices: 2 })
    expect(await simulate(sendAsUser(personal), 'roleId: "viewer"')).toMatchObject({ devices: 2 })
  })

  it('needs KEY_MANAGE for other keys and new keys, and MEMBER_MANAGE for other people and roles', async () => {
    const person = await newMember(app, user.accountId, 'viewer')
    const member = asMember(app, person)
    for (const args of [`key: "${user.keyId}"`, 'key: "MKNONE"', 'access: {}'])
      expect(await attempt(member, args)).toEqual(lacking('KEY_MANAGE'))
    for (const args of ['roleId: "admin"', 'roleId: "none"', `personId: "${user.accountId}"`])
      expect(await attempt(member, args)).toEqual(lacking('MEMBER_MANAGE'))
    const owner = sendAsUser(await keyOf(app, sendAsUser(user), 'name: "usual"'))
    expect(await attempt(owner, `personId: "${person.id}"`)).toEqual(lacking('MEMBER_MANAGE'))
    expect(await attempt(owner, 'key: "MKNONE"')).toEqual({ code: 'NOT_FOUND' })
    const admin = asMember(app, await newMember(app, user.accountId, 'admin'))
    expect(granted(await simulate(admin, `personId: "${person.id}"`))).toEqual(['DEVICE_READ', 'EVENT_READ', 'KEY_OWN'])
    expect(granted(await simulate(admin, 'roleId: "owner"')).length).toBe(permissionNames.length)
    for (const args of ['roleId: "none"', 'personId: "none"'])
      expect(await attempt(admin, args)).toEqual({ code: 'NOT_FOUND' })
  })

  it('learns nothing about devices without DEVICE_READ, or about its creator with a restricted key', async () => {
    const manager = sendAsUser(
      await keyOf(app, sendAsUser(user), 'access: { permissions: [KEY_MANAGE, ATTRIBUTE_WRITE] }'),
    )
    const subject = `access: { permissions: [ATTRIBUTE_WRITE], where: "site = oslo" }`
    expect(await attempt(manager, `${subject}, deviceId: "${oslo}"`)).toEqual(lacking('DEVICE_READ'))
    const other = await keyOf(app, sendAsUser(user), 'access: { where: "site = oslo" }')
    expect(failure(await manager(`{ login { simulate(key: "${other.keyId}") { devices } } }`))).toEqual(
      lacking('DEVICE_READ'),
    )
    const person = await newMember(app, user.accountId, 'viewer')
    const member = asMember(app, person)
    const restricted = sendAsUser(await keyOf(app, member, 'personal: true, access: { where: "site = oslo" }'))
    const wider = await keyOf(app, member, 'personal: true')
    expect(await attempt(restricted, `key: "${wider.keyId}"`)).toEqual(lacking('KEY_MANAGE'))
    expect(await attempt(restricted, `personId: "${person.id}"`)).toEqual(lacking('MEMBER_MANAGE'))
    const blind = sendAsUser(await keyOf(app, member, 'personal: true, access: { permissions: [EVENT_READ] }'))
    for (const args of [`key: "${wider.keyId}"`, `personId: "${person.id}"`, 'roleId: "viewer"']) {
      expect(
        granted(
          (await blind(`{ login { simulate(${args}) { permissions { permission granted } } } }`)).data.login.simulate,
        ),
      ).toContain('DEVICE_READ')
      expect(failure(await blind(`{ login { simulate(${args}) { devices } } }`))).toEqual(lacking('DEVICE_READ'))
      expect(await attempt(blind, `${args}, deviceId: "${oslo}"`)).toEqual(lacking('DEVICE_READ'))
    }
  })

  it("finds no other account's key or member", async () => {
    const stranger = await app.createUser()
    expect(await attempt(sendAsUser(stranger), `key: "${user.keyId}"`)).toEqual({ code: 'NOT_FOUND' })
    const person = await newMember(app, user.accountId, 'viewer')
    await addMember(app, { accountId: stranger.accountId, personId: person.id, roleId: 'admin' })
    const elsewhere = asMember(app, { ...person, headers: { ...person.headers, 'muster-account': stranger.accountId } })
    expect(await attempt(elsewhere, `personId: "${user.accountId}"`)).toEqual({ code: 'NOT_FOUND' })
    expect(granted(await simulate(elsewhere, `personId: "${person.id}"`)).length).toBe(permissionNames.length)
  })
})

it.each([
  ['', /exactly one of key, personId, roleId, and access, found none/],
  ['key: "a", roleId: "viewer"', /found key and roleId/],
  ['access: {}, address: "here"', /address must be an IPv4 or IPv6 address/],
  ['access: {}, document: "{ login { nothing } }"', /^document: /],
  ['access: {}, attribute: ".a"', /attribute/],
  ['access: {}, attribute: "$ui.a"', /attribute/],
  ['access: { where: "sate = x" }', /Unknown attribute/],
])('rejects simulate(%s)', async (args, message) => {
  const { errors } = await user.query(`{ login { simulate${args === '' ? '' : `(${args})`} { allowed } } }`)
  expect(errors?.[0]?.message).toMatch(message)
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asMember, failure, type Json, keyOf, NOTIFIED, sendAsUser } from '../../../test/factories/keys.ts'
import { newMember } from '../../../test/factories/member.ts'
import { sharedTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'
import { query } from '../../db/database.ts'

const app = sharedTestApp()
let other: TestApp
let user: TestUser
let ids: Record<string, string>
let services: Record<string, string>
/** A key that is restricted to the devices in Oslo. */
let oslo: TestUser
beforeAll(async () => {
  other = await app.startAnother()
  user = await app.createUser()
  ids = {}
  services = {}
  for (const [name, site] of [
    ['one', 'oslo'],
    ['two', 'oslo'],
    ['far', 'bergen'],
    ['none', null],
  ] as const) {
    const { registerDevice } = await user.data(
      `mutation ($name: String!, $attributes: Object) { registerDevice(
        name: $name, hardwareId: $name, platform: $name, attributes: $attributes,
        services: [{ name: "ssh", port: 22 }]) { device { id services { id port } } } }`,
      { name, attributes: site === null ? {} : { site, [`only_${name}`]: 'x' } },
    )
    ids[name] = registerDevice.device.id
    services[name] = registerDevice.device.services[0].id
  }
  oslo = await keyOf(app, sendAsUser(user), 'access: { where: "site = oslo" }')
})
afterAll(() => other.close())

const create = (access: string, args = ''): Promise<TestUser & { accessKey: Json }> =>
  keyOf(app, sendAsUser(user), `access: ${access}${args}`)

const namesIn = async (caller: TestUser, args = ''): Promise<string[]> =>
  (await caller.data(`{ login { devices(sort: "name"${args}) { items { name } } } }`)).login.devices.items.map(
    ({ name }: Json) => name,
  )

describe('a key that is restricted to some devices', () => {
  it('finds only these devices', async () => {
    const { login } = await oslo.data(
      `query ($ids: [String!]!, $services: [String!]!) { login {
      devices(sort: "name") { total hasMore items { name services { device { name } } } }
      byId: device(id: $ids) { name }
      service(id: $services) { device { name } }
      services { total items { device { name } } }
      deviceTotals { total inactive }
      all: deviceTotals(where: "site = oslo OR NOT site = oslo") { total }
      facets(by: ["site", "services.port"]) { total missing distinct buckets { value count } }
      events(types: [DEVICE_REGISTER]) { total items { target { name } } }
      presence(from: "2026-11-01T00:00:00Z") { at }
    } }`,
      { ids: Object.values(ids), services: [...Object.values(services), ...Object.values(ids)] },
    )
    expect(login.devices).toMatchObject({ total: 2, hasMore: false })
    expect(login.devices.items.map(({ name }: Json) => name)).toEqual(['one', 'two'])
    expect(login.byId.map(({ name }: Json) => name)).toEqual(['one', 'two'])
    expect(login.service.map(({ device }: Json) => device.name)).toEqual(['one', 'two', 'one', 'two'])
    expect(login.services).toMatchObject({ total: 2 })
    expect(login.deviceTotals).toEqual({ total: 2, inactive: 2 })
    expect(login.all.total).toBe(2)
    expect(login.facets).toEqual([
      { total: 2, missing: 0, distinct: 1, buckets: [{ value: 'oslo', count: 2 }] },
      { total: 2, missing: 0, distinct: 1, buckets: [{ value: '22', count: 2 }] },
    ])
    expect(login.events.total).toBe(2)
    expect(login.presence).toBeNull()
  })

  it('cannot use other devices as positions in a list, and cannot find their events', async () => {
    for (const field of [
      `devices(after: "${ids.far}") { total }`,
      `devices(sortBy: ["name", "platform"], after: "${ids.far}") { total }`,
      `services(after: "${services.far}") { total }`,
    ])
      expect(failure(await oslo.query(`{ login { ${field} } }`))).toEqual({ code: 'NOT_FOUND' })
    const { login } = await user.data(`{ login { events(deviceId: ["${ids.far}"]) { items { id } } } }`)
    const after = login.events.items[0].id
    expect(failure(await oslo.query(`{ login { events(after: "${after}") { total } } }`))).toEqual({
      code: 'NOT_FOUND',
    })
    const { login: found } = await oslo.data(`{ login { events(deviceId: ["${ids.far}"]) { total items { id } } } }`)
    expect(found.events).toEqual({ total: 0, items: [] })
  })

  it('receives no event without a device', async () => {
    const { login } = await oslo.data('{ login { events(size: 1000) { items { type } } } }')
    expect([...new Set(login.events.items.map(({ type }: Json) => type))]).toEqual(['DEVICE_REGISTER'])
  })

  it('does not receive the counts of an unrestricted caller with the same request', async () => {
    const facets = '{ login { facets(by: ["platform"]) { total buckets { value } } } }'
    const totals = async (caller: TestUser): Promise<number> => (await caller.data(facets)).login.facets[0].total
    expect([await totals(user), await totals(oslo), await totals(user)]).toEqual([4, 2, 4])
  })

  it('cannot use fields that do not apply restrictions', async () => {
    const response = await oslo.query('{ login { id registrationCodes { id } } }')
    expect(response.status).toBe(403)
    expect(response.data).toBeUndefined()
    expect(failure(response)).toEqual({ code: 'FORBIDDEN', reason: 'device' })
    expect(response.errors![0]!.message).toContain('User.registrationCodes')
  })

  it('receives no attribute names of other devices in errors', async () => {
    const { errors } = await oslo.query('{ login { devices(where: "only_fax = x") { total } } }')
    expect(errors![0]!.message).not.toContain('only_far')
  })

  it('cannot have permissions that cannot be limited to some devices', async () => {
    const send = sendAsUser(user)
    const key = 'createAccessKey(access: { where: "site = oslo", permissions: [DEVICE_READ, WEBHOOK_MANAGE] }) { key }'
    expect(failure(await send(`mutation { ${key} }`))).toEqual({ code: 'BAD_USER_INPUT' })
    const { accessKey } = await create('{ where: "site = oslo" }')
    expect(accessKey.permissions).not.toContain('WEBHOOK_MANAGE')
    expect(accessKey.permissions).toContain('DEVICE_READ')
  })

  it('is created only with a filter that does not depend on the current time or on connections', async () => {
    const attempt = (access: string) => user.query(`mutation { createAccessKey(access: ${access}) { key } }`)
    const timed = ['created > -7d', 'age(site) > 1d', 'stale(site)', 'changed(site) > -1d']
    for (const where of ['state = active', 'sute = oslo', ...timed]) {
      expect(failure(await attempt(`{ where: "${where}" }`)), where).toEqual({ code: 'BAD_USER_INPUT' })
      const { login } = await user.data(
        `{ login { checkFilter(where: "${where}", usage: ACCESS_KEY) { problems { message } } } }`,
      )
      expect(login.checkFilter.problems, where).toHaveLength(1)
    }
    for (const access of ['{ where: "" }', '{ context: "night" }'])
      expect(failure(await attempt(access))).toEqual({ code: 'BAD_USER_INPUT' })
    const changed = await create('{ where: "changed(site) > 2020-01-01 AND site = oslo" }')
    expect(await namesIn(changed)).toEqual(['one', 'two'])
    expect((await changed.data('{ login { events(types: [DEVICE_REGISTER]) { total } } }')).login.events.total).toBe(2)
    expect(failure(await user.query('mutation { createAccessKey(access: { view: "vw_x" }) { key } }'))).toEqual({
      code: 'NOT_FOUND',
    })
  })

  it('finds the devices that match its filter in its own context, regardless of the request', async () => {
    await user.data(
      `mutation { setAttribute(serviceId: "${ids.none}", name: "site", value: "oslo", context: "night") }`,
    )
    const night = await create('{ where: "site = oslo", context: "night" }')
    expect(await namesIn(night)).toEqual(['none', 'one', 'two'])
    expect(await namesIn(night, ', context: "night", where: "site = oslo"')).toEqual(['none', 'one', 'two'])
    expect(await namesIn(oslo, ', context: "night"')).toEqual(['one', 'two'])
    await user.data(`mutation { setAttribute(serviceId: "${ids.none}", name: "site", value: null, context: "night") }`)
    expect(await namesIn(night)).toEqual(['one', 'two'])
  })

  it('can only become narrower', async () => {
    const key = await create('{ where: "site = oslo" }')
    const update = (access: string): Promise<Json> =>
      user.query(
        `mutation { updateAccessKey(key: "${key.keyId}", access: ${access}) { where permissions view { id } context } }`,
      )
    expect((await update('{ where: "name = one" }')).data.updateAccessKey.where).toBe(
      'attributes.site = oslo AND name = one',
    )
    await expect.poll(() => namesIn(key), NOTIFIED).toEqual(['one'])
    expect(failure(await update('{ view: "vw_x" }'))).toMatchObject({
      code: expect.stringMatching(/NOT_FOUND|BAD_USER/),
    })
    const plain = await create('{ permissions: [DEVICE_READ] }')
    await user.data(`mutation { updateAccessKey(key: "${plain.keyId}", access: { where: "site = bergen" }) { key } }`)
    await expect.poll(() => namesIn(plain), NOTIFIED).toEqual(['far'])
    const usual = await create('{}')
    expect(
      failure(
        await user.query(`mutation { updateAccessKey(key: "${usual.keyId}", access: { where: "site:*" }) { key } }`),
      ),
    ).toEqual({ code: 'BAD_USER_INPUT' })
  })

  it('has no permissions on a server that does not know restrictions', async () => {
    const [row] = await query<Json>(
      app.db,
      `select permissions from restricted_key where account_id = $1 and key = $2`,
      [user.accountId, oslo.keyId],
    )
    expect(row.permissions).toEqual([])
    expect(await query(app.db, 'select from access_key where key = $1', [oslo.keyId])).toEqual([])
  })

  it('shows its restriction', async () => {
    const { me } = await oslo.data('{ me { grant { where context view { id } permissions } accessKey { where } } }')
    expect(me.grant).toMatchObject({ where: 'attributes.site = oslo', context: null, view: null })
    expect(me.grant.permissions).not.toContain('KEY_MANAGE')
    expect(me.accessKey.where).toBe('attributes.site = oslo')
  })
})

describe('a restricted key', () => {
  const newView = async (args: string): Promise<string> =>
    (await user.data(`mutation { createView(${args}) { id } }`)).createView.id

  it('follows its view on every server, and keeps the view from being deleted without a replacement', async () => {
    const view = await newView('name: "sites", where: "site = oslo"')
    const key = await create(`{ view: "${view}", where: "NOT name = two" }`)
    expect(await namesIn(key)).toEqual(['one'])
    await user.data(`mutation { updateView(id: "${view}", where: "site = bergen") { id } }`)
    expect(await namesIn(key)).toEqual(['far'])
    expect(await namesIn(other.as(key))).toEqual(['far'])
    const { login } = await user.data(`{ login { views(id: ["${view}"]) { usedBy { kind id } } } }`)
    expect(login.views[0].usedBy).toEqual([{ kind: 'accessKey', id: key.keyId }])
    expect(failure(await user.query(`mutation { deleteView(id: "${view}") }`))).toEqual({ code: 'CONFLICT' })
    for (const where of ['state = active', 'changed(site) > -1d']) {
      const change = `mutation { updateView(id: "${view}", where: "${where}") { id } }`
      expect(failure(await user.query(change))).toEqual({ code: 'CONFLICT' })
      const unfit = await newView(`name: "unfit for ${where}", where: "${where}"`)
      const replacement = `mutation { deleteView(id: "${view}", replaceBy: "${unfit}") }`
      expect(failure(await user.query(replacement))).toEqual({ code: 'CONFLICT' })
    }
    expect(await namesIn(key)).toEqual(['far'])
    const next = await newView('name: "next", where: "site = oslo"')
    await user.data(`mutation { deleteView(id: "${view}", replaceBy: "${next}") }`)
    await expect.poll(() => namesIn(key), NOTIFIED).toEqual(['one'])
  })

  it('finds nothing if its view was deleted or is invalid', async () => {
    const view = await newView('name: "lost", where: "site = oslo"')
    const key = await create(`{ view: "${view}" }`)
    await query(app.db, `update saved_view set filter = 'state = = x' where account_id = $1 and id = $2`, [
      user.accountId,
      view,
    ])
    expect(await namesIn(key)).toEqual([])
    await query(app.db, 'delete from saved_view where account_id = $1 and id = $2', [user.accountId, view])
    expect(await namesIn(key)).toEqual([])
    expect((await key.data('{ login { deviceTotals { total } devices { total } } }')).login).toEqual({
      deviceTotals: { total: 0 },
      devices: { total: 0 },
    })
  })

  it('does not list views that are not shared', async () => {
    const view = await newView('name: "mine", isShared: false')
    const { login } = await oslo.data(`{ login { views(id: ["${view}"]) { id } } }`)
    expect(login.views).toEqual([])
    expect(failure(await oslo.query(`{ login { devices(view: "${view}") { total } } }`))).toEqual({ code: 'NOT_FOUND' })
  })
})

describe('a restricted role', () => {
  const total = async (headers: Record<string, string>): Promise<Json> =>
    (await asMember(app, { headers } as Json)('{ login { devices { total } } }')).data?.login.devices.total

  it('limits its members immediately, and also limits the keys that they create', async () => {
    const owner = await newMember(app, user.accountId, 'owner')
    const member = await newMember(app, user.accountId, 'viewer')
    const asOwner = asMember(app, owner)
    const { data } = await asOwner(
      'mutation { createRole(name: "Oslo", access: { where: "site = oslo", permissions: [DEVICE_READ, KEY_OWN] }) { id where } }',
    )
    const { id } = data.createRole
    expect(data.createRole.where).toBe('attributes.site = oslo')
    expect(await total(member.headers)).toBe(4)
    await asOwner(`mutation { setMemberRole(personId: "${member.id}", roleId: "${id}") { source } }`)
    expect(await total(member.headers)).toBe(2)

    const key = await keyOf(app, asMember(app, member), 'personal: true, access: { where: "name = one OR name = far" }')
    expect(key.accessKey.kind).toBe('personal')
    expect(await namesIn(key)).toEqual(['one'])
    await asOwner(`mutation { updateRole(id: "${id}", access: { where: "site:*" }) { id } }`)
    expect(await total(member.headers)).toBe(3)
    // The key keeps the restriction that the role had when the key was created.
    await expect.poll(() => namesIn(key), NOTIFIED).toEqual(['one'])
    await asOwner(`mutation { updateRole(id: "${id}", access: { where: "name = two" }) { id } }`)
    expect(await total(member.headers)).toBe(1)
    await expect.poll(() => namesIn(key), NOTIFIED).toEqual([])
    const wrong = `mutation { updateRole(id: "${id}", access: { permissions: [DEVICE_READ, AUDIT_READ] }) { id } }`
    expect(failure(await asOwner(wrong))).toEqual({ code: 'BAD_USER_INPUT' })
    await asOwner(`mutation { updateRole(id: "${id}", access: { where: null, permissions: [DEVICE_READ] }) { id } }`)
    expect(await total(member.headers)).toBe(4)
  })

  it('gives no permissions on a server that does not know restrictions', async () => {
    const { createRole } = await user.data(
      'mutation { createRole(name: "Hidden", access: { where: "site = oslo", permissions: [DEVICE_READ] }) { id } }',
    )
    const [row] = await query<Json>(app.db, 'select permissions from role where account_id = $1 and id = $2', [
      user.accountId,
      createRole.id,
    ])
    expect(row.permissions).toEqual([])
  })
})

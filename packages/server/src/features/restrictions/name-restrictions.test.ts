import { beforeEach, describe, expect, it } from 'vitest'
import {
  forbiddenAttribute,
  type HiddenValues,
  newUserWithHiddenValues,
} from '../../../test/factories/hidden-values.ts'
import { failure, type Json, keyOf, NOTIFIED, sendAsUser } from '../../../test/factories/keys.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()

let user: TestUser
let device: string
let service: string
let createKey: HiddenValues['createKey']
let createReader: HiddenValues['createReader']
beforeEach(async () => {
  ;({ user, device, service, createKey, createReader } = await newUserWithHiddenValues(app))
})

describe('a key that is restricted to some attributes', () => {
  it('reads only these attributes', async () => {
    const key = await createReader()
    const visible = { site: 'oslo', net: { wifi: 'w', wired: 'x' }, status: { fan: 'ok' }, $svc: { statusA: 'a' } }
    const fields = `attributes inNight: attributes(context: "night") secret: attribute(name: "secret") site: attribute(name: "site")
      overrides(context: "night") inPrivate: overrides(context: "private") contexts`
    const document = `query ($device: [String!]!, $service: [String!]!) { login {
      device(id: $device) { ${fields} statusA categoryA services { ${fields} } }
      devices { items { ${fields} statusA categoryA } }
      plain: devices { items { id attributes inNight: attributes(context: "night") categoryA } }
      service(id: $service) { ${fields} }
      services { items { ${fields} } }
      ${fields}
      attributeNames { name } } }`
    // Use the document three times, because the server compiles it at its second use.
    for (let use = 1; use <= 3; use++) {
      const { login } = await key.data(document, { device: [device], service: [service, device] })
      expect(JSON.stringify(login)).not.toContain('hidden"')
      expect(JSON.stringify(login)).not.toContain('hidden-secret')
      expect(JSON.stringify(login)).not.toContain('"private"')
      for (const each of [login.device[0], login.devices.items[0]])
        expect(each).toMatchObject({
          attributes: visible,
          inNight: { ...visible, site: 'hidden-site' },
          overrides: { site: 'hidden-site' },
          inPrivate: {},
          contexts: ['night'],
          secret: null,
          site: 'oslo',
          statusA: 'a',
          categoryA: null,
        })
      expect(login.plain.items[0]).toMatchObject({ attributes: visible, categoryA: null })
      expect(login.device[0].services[0].attributes).toEqual({ site: 'oslo' })
      expect(login.services.items[0].attributes).toEqual({ site: 'oslo' })
      expect(login.service[0].attributes).toEqual({ site: 'oslo' })
      expect(login.attributes).toEqual({ site: 'oslo' })
      expect(login.attributeNames.map(({ name }: Json) => name)).toEqual([
        '$svc.statusA',
        'net.wifi',
        'net.wired',
        'site',
        'status.fan',
      ])
    }
    const alone = '{ login { devices { items { id categoryA statusA } } } }'
    for (let use = 1; use <= 3; use++)
      expect((await key.data(alone)).login.devices.items[0]).toMatchObject({ categoryA: null, statusA: 'a' })
  })

  it('cannot filter, sort, or group by other attributes', async () => {
    const key = await createReader()
    for (const field of [
      'devices(where: "secret = hidden") { total }',
      'devices(where: "NOT net.ssid:*") { total }',
      'devices(where: "categoryA:*") { total }',
      'devices(where: "services:(secret = hidden)") { total }',
      'devices(where: "in(\\"night\\", secret):*") { total }',
      'devices(sort: "secret") { total }',
      'devices(sortBy: ["name", "secret"]) { total }',
      'devices(attributes: { secret: "hidden" }) { total }',
      'devices(attributes: { net: null }) { total }',
      'services(where: "secret = hidden") { total }',
      'services(where: "device.secret = hidden") { total }',
      'services(sortBy: ["secret"]) { total }',
      'devices { items { services(sort: "secret") { id } } }',
      'facets(by: ["secret"]) { total }',
      'facets(by: ["name"], where: "secret:*") { total }',
      'deviceTotals(where: "secret:*") { total }',
      'events(where: "device.secret = hidden") { total }',
      'eventsUrl(where: "device.secret = hidden")',
      'devicesUrl(where: "secret = hidden")',
      'devicesUrl(sortBy: ["secret"])',
    ])
      expect(failure(await key.query(`{ login { ${field} } }`)), field).toEqual(forbiddenAttribute)
    const { login } = await key.data(
      `{ login {
      devices(where: "site = oslo AND status.fan = ok", sort: "site") { total }
      facets(by: ["site", "net.wifi"]) { distinct } } }`,
    )
    expect(login).toEqual({ devices: { total: 1 }, facets: [{ distinct: 1 }, { distinct: 1 }] })
  })

  it('finds devices by a group if it can read the whole group', async () => {
    await user.data(`mutation { setAttribute(serviceId: "${device}", name: "lan.ip", value: "x", context: "night") }`)
    await user.data('mutation { registerDevice(name: "two", attributes: { site: "rome" }) { device { id } } }')
    const key = await createKey('{ read: ["net.*", "lan*"], write: ["$svc.*"] }')
    for (const where of ['net:*', 'attributes:net', 'base(net):*', 'in(night, lan):*', '$svc:*', 'NOT lan:*']) {
      const find = `{ login { devices(where: "${where}", sort: "name") { items { name } } } }`
      const expected = (await user.data(find)).login.devices.items
      expect((await key.data(find)).login.devices.items, where).toEqual(expected)
      expect(expected[0], where).toEqual({ name: 'one' })
    }
    const partial = await createKey('{ read: ["net", "net.w*"], write: [] }')
    expect((await partial.data('{ login { devices(where: "net:*") { total } } }')).login.devices.total).toBe(0)
    const inside = await createKey('{ read: ["net.w*"], write: [] }')
    expect(failure(await inside.query('{ login { devices(where: "net:*") { total } } }'))).toEqual(forbiddenAttribute)
  })

  it('searches all attributes and contexts as if the attributes that it cannot read had no value', async () => {
    const key = await createReader()
    const counts = async (where: string): Promise<Json> =>
      (
        await key.data(
          'query ($where: String) { login { devices(where: $where) { total } services(where: $where) { total } deviceTotals(where: $where) { total } } }',
          { where },
        )
      ).login
    const one = { devices: { total: 1 }, services: { total: 1 }, deviceTotals: { total: 1 } }
    const none = { devices: { total: 0 }, services: { total: 0 }, deviceTotals: { total: 0 } }
    const ofDevice = (where: string): Promise<Json> =>
      counts(where).then(({ devices, deviceTotals }) => ({ devices, deviceTotals }))
    const { services: _one, ...oneDevice } = one
    const { services: _none, ...noDevice } = none
    for (const where of ['any(OSL)', 'contexts = night', 'contexts:*', 'NOT contexts = private'])
      expect(await counts(where), where).toEqual(one)
    for (const where of ['contexts = private', 'any(hidden)', 'contexts:priv*'])
      expect(await counts(where), where).toEqual(none)
    // These filters match a reserved attribute or a value in a group, which only the device has.
    for (const where of ['any("a")', 'any(w*)', 'any(ok)']) {
      const { login } = await key.data('query ($where: String) { login { devices(where: $where) { total } } }', {
        where,
      })
      expect(login.devices.total, where).toBe(1)
    }
    expect(await ofDevice('any(hidden) OR contexts = private')).toEqual(noDevice)
    expect(await ofDevice('NOT any(hidden)')).toEqual(oneDevice)
    const { login } = await key.data('{ login { facets(by: ["contexts"]) { buckets { value count } missing } } }')
    expect(login.facets).toEqual([{ buckets: [{ value: 'night', count: 1 }], missing: 0 }])
  })

  it('reads events and history without other attributes', async () => {
    const key = await createReader()
    const { rotateDeviceSecret: _secret } = await user.data(
      `mutation { rotateDeviceSecret(deviceId: "${device}") { secret } }`,
    )
    await user.data(
      `mutation { both: setAttributes(serviceId: "${device}", attributes: { secret: "hidden", site: "bergen", net: { wifi: "v" } }) }`,
    )
    await user.data(`mutation { only: setAttribute(serviceId: "${device}", name: "secret", value: "hidden again") }`)
    const all = (await user.data('{ login { events(size: 1000) { items { id type data target { kind } } } } }')).login
      .events.items
    const hidden = all.find(({ data }: Json) => Object.keys(data.changes ?? {}).join() === 'secret')
    const fields = 'total items { id type data }'
    const changes = 'total items { name context old new event { data } }'
    const document = `query ($device: [String!]!) { login {
      events(size: 1000) { ${fields} }
      changed: events(where: "changed = secret OR changed = site") { ${fields} }
      eventCounts { count }
      device(id: $device) { events(size: 1000) { ${fields} } attributeHistory { ${changes} }
        one: attributeHistory(name: "secret") { ${changes} } group: attributeHistory(name: "net") { ${changes} }
        services { attributeHistory { ${changes} } } } } }`
    const { login } = await key.data(document, { device: [device] })
    const text = JSON.stringify(login)
    expect(text).not.toMatch(/hidden"|hidden again|hidden-secret|secret|ssid|categoryA|private/)
    const [found] = login.device
    const ofDevice = found.events.items
    expect(ofDevice.filter(({ type }: Json) => type === 'DEVICE_REGISTER')).toMatchObject([
      {
        data: {
          attributes: { site: 'oslo', net: { wifi: 'w', wired: 'x' }, status: { fan: 'ok' }, $svc: { statusA: 'a' } },
        },
      },
    ])
    const readable = ofDevice
      .filter(({ type }: Json) => type === 'ATTRIBUTE_CHANGE')
      .map(({ data }: Json) => Object.keys(data.changes))
    expect(readable[0].toSorted()).toEqual(['net.wifi', 'site'])
    expect(readable.every((names: string[]) => names.length > 0)).toBe(true)
    for (const list of [login.events, found.events, found.attributeHistory, login.changed])
      expect(list.total).toBe(list.items.length)
    expect(login.changed.items.every(({ data }: Json) => 'site' in data.changes)).toBe(true)
    expect(login.eventCounts.reduce((sum: number, { count }: Json) => sum + count, 0)).toBe(login.events.total)
    expect(found.one).toEqual({ total: 0, items: [] })
    expect([...new Set(found.group.items.map(({ name }: Json) => name))].toSorted()).toEqual(['net.wifi', 'net.wired'])
    expect(failure(await key.query(`{ login { events(after: "${hidden.id}") { total } } }`))).toEqual({
      code: 'NOT_FOUND',
    })
    const { eventsUrl } = (await key.data('{ login { eventsUrl } }')).login
    const csv = await (await fetch(eventsUrl)).text()
    expect(csv).not.toMatch(/hidden"|hidden again|hidden-secret|ssid|categoryA|private/)
    expect(csv.split('\n').filter((line) => line.includes('ATTRIBUTE_CHANGE')).length).toBe(
      login.events.items.filter(({ type }: Json) => type === 'ATTRIBUTE_CHANGE').length,
    )
    await user.data(`mutation { deleteDevice(deviceId: "${device}") }`)
    const deleted = (await key.data('{ login { events(types: [DEVICE_DELETE]) { items { data } } } }')).login.events
      .items
    expect(deleted).toMatchObject([
      {
        data: {
          attributes: { site: 'bergen' },
          overrides: { night: { site: 'hidden-site' } },
          services: [{ attributes: { site: 'oslo' }, overrides: { night: {} } }],
        },
      },
    ])
    expect(JSON.stringify(deleted)).not.toMatch(/secret|private/)
  })

  it('can lose names but not gain any, and shows its names', async () => {
    const key = await createKey('{ read: ["site", "net.*"], write: ["status.*"] }')
    expect((await key.data('{ me { grant { attributes { read write } where } } }')).me.grant).toEqual({
      attributes: { read: ['site', 'net.*'], write: ['status.*'] },
      where: null,
    })
    const update = (attributes: string): Promise<Json> =>
      user.query(
        `mutation { updateAccessKey(key: "${key.keyId}", access: { attributes: ${attributes} }) { attributes { read } } }`,
      )
    expect(failure(await update('{ read: ["secret"], write: [] }'))).toEqual({ code: 'BAD_USER_INPUT' })
    expect(failure(await update('{ read: ["site"], write: ["stat*"] }'))).toEqual({ code: 'BAD_USER_INPUT' })
    expect(failure(await update('{ read: ["si*te"], write: [] }'))).toEqual({ code: 'BAD_USER_INPUT' })
    expect((await update('{ read: ["net.w*", "status"], write: [] }')).errors).toBeUndefined()
    expect((await update('{ read: ["net.w*"], write: [] }')).errors).toBeUndefined()
    const read = async (): Promise<Json> =>
      (await key.data('{ login { devices { items { attributes } } } }')).login.devices.items[0].attributes
    await expect.poll(read, NOTIFIED).toEqual({ net: { wifi: 'w', wired: 'x' } })
  })

  it("shows only the names that its own and its creator's limits allow", async () => {
    const key = await createKey(
      '{ read: ["site", "net.*"], write: ["status.*", "$svc.statusA"] }',
      ', permissions: [DEVICE_READ, KEY_OWN]',
    )
    const names = '{ read: ["net.w*", "status", "x"], write: ["stat*"] }'
    const own = await keyOf(app, sendAsUser(key), `personal: true, access: { attributes: ${names} }`)
    const shown = { attributes: { read: ['net.w*'], write: ['status.*'] } }
    const { me } = await own.data(
      '{ me { accessKey { attributes { read write } } grant { attributes { read write } } } }',
    )
    expect(me).toEqual({ accessKey: shown, grant: shown })
  })

  it('can set an expected interval for these attributes, unless it is also restricted to some devices', async () => {
    const set = (name: string): string =>
      `mutation { setExpectedInterval(name: "${name}", seconds: 60) { name seconds } }`
    const attributes = 'attributes: { write: ["site"] }'
    const key = await keyOf(app, sendAsUser(user), `access: { ${attributes} }`)
    expect((await key.data(set('site'))).setExpectedInterval).toEqual({ name: 'site', seconds: 60 })
    expect(failure(await key.query(set('status.fan')))).toEqual(forbiddenAttribute)
    const near = await keyOf(app, sendAsUser(user), `access: { where: "status.fan = ok", ${attributes} }`)
    expect(failure(await near.query(set('site')))).toEqual({ code: 'FORBIDDEN', reason: 'device' })
  })

  it('can reach devices through a filter on names that it cannot read', async () => {
    const key = await createKey('{ read: ["site"], write: [] }', ', where: "secret = hidden"')
    const { login } = await key.data('{ login { devices { total items { attributes } } } }')
    expect(login.devices).toEqual({ total: 1, items: [{ attributes: { site: 'oslo' } }] })
  })
})

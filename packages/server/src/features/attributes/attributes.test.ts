import { beforeAll, describe, expect, test } from 'vitest'
import { type AttributeClient, attributeClient, rejectedWith } from '../../../test/api/attributes.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let user: TestUser
let client: AttributeClient
let device: string
let service: string
beforeAll(async () => {
  user = app.owner
  client = attributeClient(user)
  device = await client.addDevice()
  service = await client.addService(device)
})

describe('setting and reading attributes', () => {
  test('sets, reads, and removes a value', async () => {
    expect(await client.set('site', 'oslo', service)).toEqual({ result: 'oslo' })
    expect(await client.set('net.ssid', 'lab', service)).toEqual({ result: 'lab' })
    expect(await client.set('net.b.c', '', service)).toEqual({ result: '' })
    const attributes = { site: 'oslo', net: { ssid: 'lab', 'b.c': '' } }
    expect(await client.read(service)).toEqual({ attributes, contexts: [] })
    expect(await client.set('net.ssid', null, service)).toEqual({ result: null })
    expect(await client.set('net.ssid', null, service)).toEqual({ result: null })
    expect(await client.setAll({ net: null, site: null }, service)).toEqual({ result: {} })
    expect(await client.read(service)).toEqual({ attributes: {}, contexts: [] })
  })

  test("accepts IDs in uppercase and lowercase, and the device's ID as the ID of its bulk service", async () => {
    const id = await client.addDevice({ site: 'oslo' })
    await client.set('shelf', '3', id.toUpperCase())
    const document = `query ($id: [String!]!) { login {
      device(id: $id) { attributes attribute(name: "shelf") none: attribute(name: "no") contexts }
      service(id: $id) { attributes attribute(name: "shelf") } } }`
    const { login } = await user.data(document, { id: [id] })
    const attributes = { site: 'oslo', shelf: '3' }
    expect(login.device).toEqual([{ attributes, attribute: '3', none: null, contexts: [] }])
    expect(login.service).toEqual([{ attributes, attribute: '3' }])
  })

  test('merges nested and dotted names in setAttributes and applies all changes or none', async () => {
    const id = await client.addDevice({ keep: 'k', net: { ssid: 'a', key: 'b' } })
    const merged = { keep: 'k', net: { ssid: 'c', 'x.y': 'd' }, more: '1' }
    const input = { 'net.ssid': 'c', net: { key: null, 'x.y': 'd' }, more: '1' }
    expect(await client.setAll(input, id)).toEqual({ result: merged })
    expect(await client.setAll({ more: '2', keep: { sub: 'x' } }, id)).toEqual(rejectedWith('CONFLICT', /keep/))
    expect((await client.read(id))?.attributes).toEqual(merged)
    expect(await client.setAll({ net: null }, id)).toEqual({ result: { keep: 'k', more: '1' } })
  })

  test('rejects an omitted value in variables and in literals', async () => {
    const document = `mutation ($v: String, $id: String!) { setAttribute(name: "site", value: $v, serviceId: $id) }`
    const inLiteral = `mutation ($id: String!) { setAttribute(name: "site", serviceId: $id) }`
    await client.set('site', 'stays', device)
    for (const _ of [1, 2, 3]) {
      for (const response of [
        await user.query(document, { id: device }),
        await user.query(inLiteral, { id: device }),
      ]) {
        expect(response.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
      }
    }
    expect((await client.read(device))?.attributes).toMatchObject({ site: 'stays' })
    expect((await user.query(document, { id: device, v: null })).data).toEqual({ setAttribute: null })
    expect((await client.read(device))?.attributes).not.toHaveProperty('site')
  })

  test('accepts attributes as a literal in the document', async () => {
    const document = `mutation ($id: String!) {
      setAttributes(serviceId: $id, attributes: { literal: "x", group: { __proto__: "y" } }) }`
    const { data } = await user.query(document, { id: service })
    expect(JSON.stringify(data)).toContain('"group":{"__proto__":"y"}')
    await client.setAll({ literal: null, group: null }, service)
  })

  test.each([
    ['{ site: oslo }', /in quotes, such as "oslo"/],
    ['{ net: { ssid: LAB } }', /in quotes, such as "LAB"/],
    ['{ site: [oslo] }', /in quotes, such as "oslo"/],
    ['{ net: { ssid: "a", ssid: "b" } }', /only one input field named "ssid"/],
  ])('rejects a literal that JSON cannot represent: %s', async (literal, message) => {
    const before = await client.read(service)
    const { errors } = await user.query(`mutation { setAttributes(serviceId: "${service}", attributes: ${literal}) }`)
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })])
    expect(errors![0]!.extensions.code).toBe('BAD_USER_INPUT')
    expect(await client.read(service)).toEqual(before)
  })

  test('returns a value that an earlier field of the mutation set', async () => {
    const id = await client.addDevice({ a: '1' })
    const read = 'attributes(context: "day") base: attributes contexts'
    const document = `mutation ($id: String!) {
      one: updateDevice(deviceId: $id, name: "one") { ${read} }
      setAttribute(name: "a", value: "2", serviceId: $id, context: "day")
      two: updateDevice(deviceId: $id, name: "two") { ${read} }
      setAttributes(attributes: { b: "3" }, serviceId: $id)
      three: updateDevice(deviceId: $id, name: "three") { ${read} } }`
    expect(await user.data(document, { id })).toEqual({
      one: { attributes: { a: '1' }, base: { a: '1' }, contexts: [] },
      setAttribute: '2',
      two: { attributes: { a: '2' }, base: { a: '1' }, contexts: ['day'] },
      setAttributes: { a: '1', b: '3' },
      three: { attributes: { a: '2', b: '3' }, base: { a: '1', b: '3' }, contexts: ['day'] },
    })
  })
})

describe('setAttributesMany', () => {
  test('applies each item separately and in order', async () => {
    const id = await client.addDevice({ net: { ssid: 'x' } })
    const missing = '80:00:00:00:00:00:00:00'
    const { data } = await client.setMany([
      { serviceId: id.toUpperCase(), attributes: { site: 'oslo' } },
      { serviceId: id, attributes: { net: 'x', site: 'lost' } },
      { serviceId: missing, attributes: { site: 'x' } },
      { serviceId: id, attributes: { site: ['x'] } },
      { serviceId: id, attributes: { site: 'bergen' }, context: 'day' },
      { serviceId: id, attributes: { '$svc.statusA': 'up', site: 'moss' } },
      { serviceId: id, attributes: { '$ui.x': 'up' } },
    ])
    const rest = { code: null, message: null }
    expect(data?.setAttributesMany).toEqual([
      { serviceId: id.toUpperCase(), attributes: { site: 'oslo', net: { ssid: 'x' } }, ...rest },
      { serviceId: id, attributes: null, ...rejectedWith('CONFLICT', /net/) },
      { serviceId: missing, attributes: null, ...rejectedWith('NOT_FOUND', /80:00/) },
      { serviceId: id, attributes: null, ...rejectedWith('BAD_USER_INPUT', /items\[3\]\.attributes\.site/) },
      { serviceId: id, attributes: { site: 'bergen', net: { ssid: 'x' } }, ...rest },
      { serviceId: id, attributes: { site: 'moss', net: { ssid: 'x' }, $svc: { statusA: 'up' } }, ...rest },
      { serviceId: id, attributes: null, ...rejectedWith('RESERVED_ATTRIBUTE', /\$ui/) },
    ])
  })

  test('accepts 0 to 1,000 items', async () => {
    const id = await client.addDevice()
    const items = Array.from({ length: 1001 }, (_, index) => ({ serviceId: id, attributes: { n: `${index}` } }))
    const { data } = await client.setMany(items.slice(1))
    expect(data?.setAttributesMany).toHaveLength(1000)
    expect((await client.read(id))?.attributes).toEqual({ n: '1000' })
    expect((await client.setMany(items)).errors?.[0]?.extensions.code).toBe('LIMIT_EXCEEDED')
    expect((await client.setMany([])).data).toEqual({ setAttributesMany: [] })
  })
})

test('records changes with the context and the old and new values, and omits unchanged values', async () => {
  const other = await app.createUser()
  const own = attributeClient(other)
  const id = await own.addDevice()
  const serviceId = await own.addService(id)
  await own.set('site', 'oslo', id)
  await own.set('site', 'oslo', id)
  await own.setAll({ site: 'oslo', 'net.ssid': 'x', gone: null }, serviceId, 'day')
  await own.setAll({ net: null }, serviceId, 'day')
  await own.set('$ui.label', 'Place', other.accountId)
  const deviceTarget = { id, name: 'device', kind: 'device' }
  const serviceTargets = [{ id: serviceId, name: 'service', kind: 'service' }, deviceTarget]
  expect(await own.changes()).toEqual([
    { target: [deviceTarget], data: { context: null, changes: { site: { old: null, new: 'oslo' } } } },
    {
      target: serviceTargets,
      data: { context: 'day', changes: { site: { old: null, new: 'oslo' }, 'net.ssid': { old: null, new: 'x' } } },
    },
    { target: serviceTargets, data: { context: 'day', changes: { 'net.ssid': { old: 'x', new: null } } } },
    {
      target: [{ id: other.accountId, name: other.email, kind: 'user' }],
      data: { context: null, changes: { '$ui.label': { old: null, new: 'Place' } } },
    },
  ])
})

test('counts each device and service once in attributeNames, and returns when a name last changed', async () => {
  const other = await app.createUser()
  const own = attributeClient(other)
  const one = await own.addDevice({ site: 'x', $svc: { statusA: 'up' } })
  const two = await own.addDevice({ net: { ssid: 'x' } })
  const serviceId = await own.addService(one)
  await own.set('site', 'y', one, 'day')
  await own.set('site', 'y', two, 'day')
  await own.set('site', 'y', serviceId, 'night')
  await own.set('$svc.statusA', 'down', two, 'night')
  await own.set('mine', 'x', other.accountId)
  const { login } = await other.data('{ login { attributeNames { name devices services lastChanged } } }')
  const lastChanged = expect.stringMatching(/^\d{4}-/)
  expect(login.attributeNames).toEqual([
    { name: '$svc.statusA', devices: 2, services: 0, lastChanged },
    { name: 'net.ssid', devices: 1, services: 0, lastChanged },
    { name: 'site', devices: 2, services: 1, lastChanged },
  ])
})

test('returns NOT_FOUND to other users', async () => {
  const id = await client.addDevice({ site: 'mine' })
  const serviceId = await client.addService(id)
  await client.set('site', 'mine', serviceId)
  const otherUser = attributeClient(await app.createUser())
  for (const target of [id, serviceId, user.accountId, 'nothing', '80:00:00:00:00:00:00:01', '']) {
    for (const context of [null, 'day']) {
      expect(await otherUser.set('site', 'theirs', target, context)).toEqual(rejectedWith('NOT_FOUND', /./))
      expect(await otherUser.set('site', null, target, context)).toEqual(rejectedWith('NOT_FOUND', /./))
      expect(await otherUser.setAll({ site: 'theirs' }, target, context)).toEqual(rejectedWith('NOT_FOUND', /./))
    }
    const { data } = await otherUser.setMany([{ serviceId: target, attributes: { site: 'theirs' } }])
    expect(data?.setAttributesMany).toEqual([
      { serviceId: target, attributes: null, ...rejectedWith('NOT_FOUND', /./) },
    ])
  }
  expect(await otherUser.set('$svc.statusA', 'theirs', id)).toEqual(rejectedWith('NOT_FOUND', /./))
  expect(await otherUser.read(id)).toBeNull()
  expect((await client.read(id, 'day'))?.attributes).toEqual({ site: 'mine' })
  expect((await client.read(serviceId, 'day'))?.attributes).toEqual({ site: 'mine' })
})

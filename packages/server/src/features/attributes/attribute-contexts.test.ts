import { beforeAll, expect, test } from 'vitest'
import { type AttributeClient, attributeClient, rejectedWith } from '../../../test/api/attributes.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let user: TestUser
let client: AttributeClient
beforeAll(async () => {
  user = app.owner
  client = attributeClient(user)
})

test('replaces base values with overrides by name, only in the context', async () => {
  const id = await client.addDevice({ site: 'oslo', net: { ssid: 'a', key: 'b' } })
  expect(await client.set('net.ssid', 'night', id, 'night')).toEqual({ result: 'night' })
  expect(await client.set('only', 'there', id, 'night')).toEqual({ result: 'there' })
  expect(await client.read(id)).toEqual({
    attributes: { site: 'oslo', net: { ssid: 'a', key: 'b' } },
    contexts: ['night'],
  })
  expect((await client.read(id, 'night'))?.attributes).toEqual({
    site: 'oslo',
    net: { ssid: 'night', key: 'b' },
    only: 'there',
  })
  expect((await client.read(id, 'day'))?.attributes).toEqual({ site: 'oslo', net: { ssid: 'a', key: 'b' } })
})

test('restores the base value when an override is removed and keeps overrides of a removed base value', async () => {
  const id = await client.addDevice({ site: 'oslo' })
  await client.set('site', 'bergen', id, 'day')
  expect(await client.set('site', null, id)).toEqual({ result: null })
  expect((await client.read(id, 'day'))?.attributes).toEqual({ site: 'bergen' })
  await client.set('site', 'oslo', id)
  expect(await client.set('site', null, id, 'day')).toEqual({ result: 'oslo' })
  expect(await client.read(id, 'day')).toEqual({ attributes: { site: 'oslo' }, contexts: [] })
})

test('returns only the values set in a context as overrides, including values that equal the base value', async () => {
  const person = await app.createUser()
  const own = attributeClient(person)
  const id = await own.addDevice({ site: 'oslo', net: { ssid: 'a', key: 'b' } })
  const serviceId = await own.addService(id)
  await own.addDevice({ site: 'oslo' })
  await own.setAll({ site: 'oslo', net: { ssid: 'c' }, $svc: { statusA: 'up' } }, id, 'night')
  await own.set('shelf', '3', serviceId, 'night')
  await own.set('$ui.theme', 'dark', person.accountId, 'night')
  const document = `query ($context: String!) { login { overrides(context: $context)
    devices(sort: "created asc") { items { overrides(context: $context) services { overrides(context: $context) } } }
    service(id: "${id}") { overrides(context: $context) } } }`
  const ofDevice = { site: 'oslo', net: { ssid: 'c' }, $svc: { statusA: 'up' } }
  expect((await person.data(document, { context: 'night' })).login).toEqual({
    overrides: { $ui: { theme: 'dark' } },
    devices: {
      items: [
        { overrides: ofDevice, services: [{ overrides: { shelf: '3' } }] },
        { overrides: {}, services: [] },
      ],
    },
    service: [{ overrides: ofDevice }],
  })
  expect((await person.data(document, { context: 'day' })).login.service).toEqual([{ overrides: {} }])
  // A later base value does not change the override.
  await own.set('site', 'bergen', id)
  expect((await own.read(id, 'night'))?.attributes).toMatchObject({ site: 'oslo' })
  await own.setAll({ site: null, net: null, $svc: null }, id, 'night')
  expect((await person.data(document, { context: 'night' })).login.service).toEqual([{ overrides: {} }])
})

test('returns base values in the fields categoryA through statusE, even if a context overrides them', async () => {
  const id = await client.addDevice({ $svc: { categoryA: 'base' } })
  expect(await client.set('$svc.categoryA', 'over', id, 'day')).toEqual({ result: 'over' })
  expect(await client.set('$svc.statusE', 'up', id)).toEqual({ result: 'up' })
  const document = `query ($id: [String!]!) { login { device(id: $id) {
    categoryA categoryB statusE attributes(context: "day") attribute(name: "$svc.categoryA", context: "day") } } }`
  const { login } = await user.data(document, { id: [id] })
  expect(login.device[0]).toEqual({
    categoryA: 'base',
    categoryB: null,
    statusE: 'up',
    attributes: { $svc: { categoryA: 'over', statusE: 'up' } },
    attribute: 'over',
  })
  expect(await client.setAll({ $svc: null }, id)).toEqual({ result: {} })
  expect((await client.read(id, 'day'))?.attributes).toEqual({ $svc: { categoryA: 'over' } })
})

test('returns the same values in category and status fields with and without other attribute fields', async () => {
  const id = await client.addDevice({ site: 'oslo', $svc: { categoryA: 'base' } })
  const alone = { id, categoryA: 'base', statusA: null }
  const others = { site: 'oslo', attributes: { site: 'oslo', $svc: { categoryA: 'base' } } }
  for (const [fields, expected] of [
    ['', alone],
    ['site: attribute(name: "site") attributes', { ...alone, ...others }],
  ] as const) {
    const { login } = await user.data(
      `query ($id: [String!]!) { login {
        device(id: $id) { id categoryA statusA ${fields} }
        devices(size: 1000) { items { id categoryA statusA ${fields} } }
      } }`,
      { id: [id] },
    )
    expect(login.device).toEqual([expected])
    expect(login.devices.items).toContainEqual(expected)
  }
})

test('rejects a name that would be a value in one context and a group in another', async () => {
  const id = await client.addDevice({ site: 'oslo' })
  expect(await client.set('site.floor', '1', id, 'day')).toEqual(rejectedWith('CONFLICT', /value/))
  await client.set('net.ssid', 'x', id, 'day')
  expect(await client.set('net', 'x', id)).toEqual(rejectedWith('CONFLICT', /group/))
  expect(await client.setAll({ net: 'x' }, id, 'night')).toEqual(rejectedWith('CONFLICT', /group/))
  await client.set('net.ssid', null, id, 'day')
  expect(await client.set('net', 'x', id)).toEqual({ result: 'x' })
})

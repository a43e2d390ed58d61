import { beforeAll, expect, test } from 'vitest'
import { type AttributeClient, attributeClient, type Outcome } from '../../../test/api/attributes.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let client: AttributeClient
beforeAll(async () => {
  client = attributeClient(app.owner)
})

const range = (length: number): number[] => Array.from({ length }, (_, index) => index)
const succeeded = (outcomes: readonly Outcome<unknown>[]) => outcomes.filter((outcome) => 'result' in outcome).length
const codes = (outcomes: readonly Outcome<unknown>[]) =>
  outcomes.flatMap((outcome) => ('code' in outcome ? [outcome.code] : []))

test('loses no value when 200 writers set different names on one device', async () => {
  const device = await client.addDevice()
  const values = Object.fromEntries(range(200).map((index) => [`name${index}`, `${index}`]))
  const outcomes = await Promise.all(Object.entries(values).map(([name, value]) => client.set(name, value, device)))
  expect(codes(outcomes)).toEqual([])
  expect((await client.read(device))?.attributes).toEqual(values)
  const events = (await client.changes()).filter(({ target }) => target[0]?.id === device)
  expect(new Set(events.flatMap(({ data }) => Object.keys(data.changes)))).toEqual(new Set(Object.keys(values)))
  expect(events).toHaveLength(200)
})

test('loses no value when writers of several kinds run concurrently', async () => {
  const device = await client.addDevice()
  const outcomes = await Promise.all(
    range(120).map((index): Promise<Outcome<unknown>> => {
      const value = `${index}`
      if (index % 4 === 0) return client.set(`base.${index}`, value, device)
      if (index % 4 === 1) return client.setAll({ [`all${index}`]: value }, device)
      if (index % 4 === 2) return client.set(`in.${index}`, value, device, 'day')
      return client.set(`$svc.${index % 8 === 3 ? 'category' : 'status'}${'ABCDE'[(index >> 3) % 5]}`, value, device)
    }),
  )
  expect(codes(outcomes)).toEqual([])
  const day = (await client.read(device, 'day'))!.attributes as Record<string, Record<string, string>>
  expect(Object.keys(day.base!)).toHaveLength(30)
  expect(Object.keys(day.in!)).toHaveLength(30)
  expect(Object.keys(day.$svc!)).toHaveLength(10)
  expect(Object.keys(day).filter((name) => name.startsWith('all'))).toHaveLength(30)
})

test('never makes a name both a value and a group, in the base values or in contexts', async () => {
  const device = await client.addDevice()
  for (const round of range(60)) {
    const name = `name${round}`
    const outcomes = await Promise.all([
      client.set(name, 'value', device, round % 3 === 0 ? 'day' : null),
      client.set(`${name}.sub`, 'value', device, round % 3 === 1 ? 'night' : null),
    ])
    expect(succeeded(outcomes)).toBe(1)
    expect(codes(outcomes)).toEqual(['CONFLICT'])
    const removals = [null, 'day', 'night'].map((context) => ({
      serviceId: device,
      attributes: { [name]: null },
      context,
    }))
    await client.setMany(removals)
  }
})

test('records one event when four writers set the same value', async () => {
  const device = await client.addDevice()
  const service = await client.addService(device)
  const places = [
    ['site', device, null],
    ['$svc.statusA', device, null],
    ['site', device, 'day'],
    ['net.ssid', service, null],
    ['site', app.owner.accountId, null],
  ] as const
  for (const [name, id, context] of places) {
    const before = (await client.changes()).length
    const outcomes = await Promise.all(range(4).map(() => client.set(name, 'the same', id, context)))
    expect(outcomes).toEqual(range(4).map(() => ({ result: 'the same' })))
    expect((await client.changes()).length - before).toBe(1)
  }
})

test('applies long concurrent lists that name the same targets in different orders', async () => {
  const devices = await Promise.all(range(12).map(() => client.addDevice()))
  const services = await Promise.all(devices.map((device) => client.addService(device)))
  const targets = [...devices, app.owner.accountId, ...services]
  for (const round of range(8)) {
    const items = targets.map((serviceId, index) => {
      const attributes =
        index < devices.length ? { round: `${round}`, '$svc.statusA': `${round}` } : { round: `${round}` }
      return { serviceId, attributes, context: index % 3 === 0 ? 'day' : null }
    })
    const singly = Promise.all(devices.map((device) => client.set('alone', `${round}`, device)))
    const orders = [items, items.toReversed(), [...items.slice(7), ...items.slice(0, 7)]]
    for (const { data } of await Promise.all(orders.map((order) => client.setMany(order)))) {
      const results = data!.setAttributesMany as { code: string | null }[]
      expect(results.map(({ code }) => code)).toEqual(items.map(() => null))
    }
    expect(codes(await singly)).toEqual([])
  }
})

test('neither deadlocks nor leaves attributes behind when the devices of a list are removed', async () => {
  for (const _ of range(5)) {
    const devices = await Promise.all(range(6).map(() => client.addDevice()))
    const services = await Promise.all(
      devices.flatMap((device) => [client.addService(device), client.addService(device)]),
    )
    const items = [...services, ...devices].map((serviceId) => ({ serviceId, attributes: { a: 'b' }, context: 'day' }))
    const [response, removal] = await Promise.all([
      client.setMany(items),
      app.owner.query('mutation ($ids: [String!]!) { deleteDevices(deviceId: $ids) }', { ids: devices.toReversed() }),
    ])
    expect(removal.errors).toBeUndefined()
    const results = response.data!.setAttributesMany as { code: string | null }[]
    for (const { code } of results) expect([null, 'NOT_FOUND']).toContain(code)
  }
  const left = await app.db
    .selectFrom('attribute_override')
    .select('target_id')
    .where('target_id', '!=', app.owner.accountId)
    .where('target_id', 'not in', app.db.selectFrom('device').select('id'))
    .where('target_id', 'not in', app.db.selectFrom('service').select('id'))
    .execute()
  expect(left).toEqual([])
})

test('enforces the limit on names when plain and reserved names are set concurrently', async () => {
  const device = await client.addDevice(Object.fromEntries(range(199).map((index) => [`name${index}`, 'x'])))
  const outcomes = await Promise.all([
    ...range(5).map((index) => client.set(`more${index}`, 'x', device)),
    ...range(5).map((index) => client.set(`$svc.status${'ABCDE'[index]}`, 'x', device)),
    ...range(3).map((index) => client.setAll({ [`most${index}`]: 'x' }, device)),
  ])
  expect(succeeded(outcomes)).toBe(1)
  expect(new Set(codes(outcomes))).toEqual(new Set(['LIMIT_EXCEEDED']))
})

test('enforces the limit on contexts when contexts are added concurrently', async () => {
  const device = await client.addDevice()
  const contexts = range(63).map((index) => `context ${index}`)
  await client.setMany(contexts.map((context) => ({ serviceId: device, attributes: { site: 'x' }, context })))
  const outcomes = await Promise.all(range(6).map((index) => client.set('site', 'x', device, `late ${index}`)))
  expect(succeeded(outcomes)).toBe(1)
  expect(new Set(codes(outcomes))).toEqual(new Set(['LIMIT_EXCEEDED']))
  expect((await client.read(device))?.contexts).toHaveLength(64)
})

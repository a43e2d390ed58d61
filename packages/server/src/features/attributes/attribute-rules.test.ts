import { beforeAll, expect, test } from 'vitest'
import { type AttributeClient, attributeClient } from '../../../test/api/attributes.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let client: AttributeClient
let device: string
let service: string
beforeAll(async () => {
  client = attributeClient(app.owner)
  device = await client.addDevice()
  service = await client.addService(device)
})

const code = (expected: string, message = /./) => ({ code: expected, message: expect.stringMatching(message) })

test.each([
  ['', /empty/],
  ['.', /dot/],
  ['.a', /dot/],
  ['a.', /dot/],
  ['a..b', /dot/],
  ['a\u0000b', /control/],
  ['a\u0085', /control/],
  ['a.\n', /control/],
  ['\ud800', /surrogate/],
])('rejects the name %j in setAttribute, setAttributes, and attribute', async (name, message) => {
  expect(await client.set(name, 'x', service)).toEqual(code('BAD_USER_INPUT', message))
  expect(await client.set(name, 'x', service, 'day')).toEqual(code('BAD_USER_INPUT', message))
  expect(await client.setAll({ [name]: 'x' }, service)).toEqual(code('BAD_USER_INPUT', message))
  const document = 'query ($name: String!) { login { attribute(name: $name) } }'
  const { errors } = await app.owner.query(document, { name })
  expect(errors?.[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' }, message: expect.stringMatching(message) })
})

test.each(['a\u200b', 'net.\u202ea', '\u2066a\u2069', 'a\u200db', '\ufeffa', 'a\u00adb'])(
  'rejects setting the name %j with invisible characters, but allows reading and removing it',
  async (name) => {
    expect(await client.set(name, 'x', service)).toEqual(code('BAD_USER_INPUT', /name .*invisible characters.*U\+/))
    expect(await client.set('a', 'x', service, name)).toEqual(code('BAD_USER_INPUT', /context .*invisible/))
    expect(await client.setAll({ [name]: 'x' }, service)).toEqual(code('BAD_USER_INPUT', /invisible/))
    expect(await client.setAll({ a: 'x' }, service, name)).toEqual(code('BAD_USER_INPUT', /invisible/))
    const register = 'mutation ($attributes: Object) { registerDevice(name: "a", attributes: $attributes) { secret } }'
    const { errors } = await app.owner.query(register, { attributes: { [name]: 'x' } })
    expect(errors?.[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } })

    // The API no longer accepts such a name, so the test inserts the name directly.
    const [first, second] = name.split('.') as [string, string?]
    await app.db
      .updateTable('service')
      .set({ attributes: JSON.stringify({ [first]: second === undefined ? 'x' : { [second]: 'x' } }) })
      .where('id', '=', service)
      .execute()
    expect((await client.read(service))?.attributes).not.toEqual({})
    expect(await client.set(name, null, service)).toEqual({ result: null })
    expect((await client.read(service))?.attributes).toEqual({})
  },
)

test('accepts invisible characters in a value and a device name', async () => {
  const value = '\u{1f468}\u200d\u{1f469}'
  expect(await client.set('a', value, service)).toEqual({ result: value })
  await client.set('a', null, service)
  const register = 'mutation ($name: String!) { registerDevice(name: $name) { device { name } } }'
  expect((await app.owner.data(register, { name: value })).registerDevice.device.name).toBe(value)
})

test('rejects a literal that contains a variable without a value', async () => {
  const document = `mutation ($id: String!, $value: String) {
    setAttributes(serviceId: $id, attributes: { a: $value }) }`
  const { errors } = await app.owner.query(document, { id: service })
  expect(errors?.[0]).toMatchObject({
    extensions: { code: 'BAD_USER_INPUT' },
    message: expect.stringMatching(/attributes\.a .*variable that is not set/),
  })
})

test.each([
  [{}, /attributes must not be an empty object/],
  [{ a: {} }, /attributes\.a must not be an empty object/],
  [{ a: 1 }, /attributes\.a must be a string or null, found a number/],
  [{ a: true }, /attributes\.a .* boolean/],
  [{ a: ['x'] }, /attributes\.a .* array/],
  [{ a: { b: ['x'] } }, /attributes\.a\.b .* array/],
  [{ a: { b: { c: 'x' } } }, /attributes\.a\.b .* two levels/],
  [{ 'a.b': { c: 'x' } }, /attributes\.a\.b .* two levels/],
  [{ a: { '': 'x' } }, /attributes\.a\[""\] .*empty/],
  [{ a: { '.b': 'x' } }, /dot/],
  [{ a: { 'b.': 'x' } }, /dot/],
  [{ a: { b: 'x' }, 'a.b': 'y' }, /twice/],
  [{ a: { 'b.c': 'x' }, 'a.b.c': null }, /twice/],
  [{ a: 'x', 'a.b': 'y' }, /twice/],
  [{ a: null, 'a.b': 'y' }, /twice/],
  [{ a: 'nul \u0000' }, /attributes\.a .*U\+0000/],
  [{ a: { b: 'half \ud83d' } }, /attributes\.a\.b .*surrogate/],
])('rejects the object %j', async (attributes, message) => {
  expect(await client.setAll(attributes, service)).toEqual(code('BAD_USER_INPUT', message))
  const { data } = await client.setMany([{ serviceId: service, attributes }])
  expect(data?.setAttributesMany).toMatchObject([code('BAD_USER_INPUT', message)])
  expect((await client.read(service))?.attributes).toEqual({})
})

test('rejects an empty context, a context of more than 64 characters, and control characters', async () => {
  const document = 'query ($context: String) { login { attributes(context: $context) } }'
  const overrides = 'query ($context: String!) { login { overrides(context: $context) } }'
  for (const [context, expected] of [
    ['', 'BAD_USER_INPUT'],
    ['a\tb', 'BAD_USER_INPUT'],
    ['\udc00', 'BAD_USER_INPUT'],
    ['c'.repeat(65), 'LIMIT_EXCEEDED'],
  ] as const) {
    expect(await client.set('a', 'x', service, context)).toEqual(code(expected, /context/))
    expect(await client.setAll({ a: 'x' }, service, context)).toEqual(code(expected, /context/))
    expect((await app.owner.query(document, { context })).errors?.[0]?.extensions.code).toBe(expected)
    expect((await app.owner.query(overrides, { context })).errors?.[0]?.extensions.code).toBe(expected)
  }
  const widest = '\u{1f600}'.repeat(64)
  expect(await client.set('a', 'x', service, widest)).toEqual({ result: 'x' })
  expect((await client.read(service))?.contexts).toEqual([widest])
  await client.set('a', null, service, widest)
})

test('accepts reserved names only on the kinds of targets that have them', async () => {
  const ids = { device, service, user: app.owner.accountId }
  const allowed = [
    ['$svc.categoryA', 'device'],
    ['$svc.statusE', 'device'],
    ['$ui.columns.list', 'user'],
  ]
  const names = [
    '$svc.categoryA',
    '$svc.statusE',
    '$svc.categoryF',
    '$svc.other',
    '$svc',
    '$ui',
    '$ui.columns.list',
    '$',
    '$x.y',
  ]
  for (const name of names) {
    for (const [kind, id] of Object.entries(ids)) {
      const isAllowed = allowed.some(([one, where]) => one === name && where === kind)
      for (const context of [null, 'day']) {
        const expected = isAllowed ? { result: 'x' } : code('RESERVED_ATTRIBUTE')
        expect(await client.set(name, 'x', id, context)).toEqual(expected)
        const outcome = await client.setAll({ [name]: 'x' }, id, context)
        expect(outcome).toEqual(isAllowed ? { result: expect.anything() } : code('RESERVED_ATTRIBUTE'))
        if (!isAllowed) continue
        expect(await client.set(name, null, id, context)).toEqual({ result: null })
      }
    }
  }
  expect(await client.set('$svc', null, device)).toEqual({ result: null })
  expect(await client.set('$ui', null, app.owner.accountId)).toEqual({ result: null })
  expect(await client.set('$svc', null, service)).toEqual(code('RESERVED_ATTRIBUTE'))
  expect(await client.set('$svc.categoryA', null, service)).toEqual(code('RESERVED_ATTRIBUTE'))
  expect(await client.set('group.$sub', 'x', service)).toEqual({ result: 'x' })
  await client.set('group', null, service)
})

test('limits names to 128 characters per level and values to 16 KiB', async () => {
  const longestName = `${'\u{1f600}'.repeat(128)}.${'n'.repeat(128)}`
  expect(await client.set(longestName, 'x', service)).toEqual({ result: 'x' })
  expect(await client.set(longestName, null, service)).toEqual({ result: null })
  expect(await client.set('n'.repeat(129), 'x', service)).toEqual(code('LIMIT_EXCEEDED', /128.*129/))
  expect(await client.setAll({ a: { ['n'.repeat(129)]: 'x' } }, service)).toEqual(code('LIMIT_EXCEEDED', /128.*129/))
  expect(await client.set('a', 'é'.repeat(8193), service)).toEqual(code('LIMIT_EXCEEDED', /16384.*16386/))
  const longestValue = 'é'.repeat(8192)
  expect(await client.set('a', longestValue, service)).toEqual({ result: longestValue })
  await client.set('a', null, service)
})

function ofSize(bytes: number): Record<string, string> {
  const attributes = Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`k${index}`, '']))
  let left = bytes - 4 * '"k0": "", '.length
  for (const name of Object.keys(attributes)) {
    attributes[name] = 'v'.repeat(Math.min(16_384, left))
    left -= attributes[name]!.length
  }
  return attributes
}

test('limits the attributes in the base and in a context to 64 KiB with setAttribute and setAttributes', async () => {
  for (const [target, context] of [
    [service, null],
    [device, null],
    [app.owner.accountId, null],
    [device, 'day'],
  ] as const) {
    const exact = ofSize(65_536)
    const shorter = { ...exact, k3: exact.k3!.slice(1) }
    expect(await client.setAll({ ...exact, k3: `${exact.k3}v` }, target, context)).toEqual(
      code('LIMIT_EXCEEDED', /65536.*65537/),
    )
    expect(await client.setAll(shorter, target, context)).toEqual({ result: shorter })
    expect(await client.set('k3', `${exact.k3}v`, target, context)).toEqual(code('LIMIT_EXCEEDED', /65536.*65537/))
    expect(await client.set('k3', exact.k3!, target, context)).toEqual({ result: exact.k3 })
    expect(await client.set('new', '', target, context)).toEqual(code('LIMIT_EXCEEDED'))
    expect(await client.setAll({ k0: null, k1: null, k2: null, k3: null }, target, context)).toEqual({ result: {} })
  }
})

test('counts reserved values toward the limits on base values', async () => {
  const id = await client.addDevice(Object.fromEntries(Array.from({ length: 199 }, (_, index) => [`n${index}`, ''])))
  expect(await client.set('$svc.statusA', 'x', id)).toEqual({ result: 'x' })
  expect(await client.set('$svc.statusB', 'x', id)).toEqual(code('LIMIT_EXCEEDED', /200.*201/))
  expect(await client.set('one more', 'x', id)).toEqual(code('LIMIT_EXCEEDED', /200.*201/))
  expect(await client.setAll({ n0: null, 'one.more': 'x' }, id)).toEqual({ result: expect.anything() })
  expect(await client.set('$svc.statusA', 'y', id)).toEqual({ result: 'y' })
  expect(await client.set('one more', 'x', id, 'day')).toEqual({ result: 'x' })

  const big = await client.addDevice()
  const escapes = { one: { '"': '\\"\n\u0001é\u{1f600}\u007f', 2: 'x' }, '3': '/' }
  await client.setAll(escapes, big)
  const bytes = '{"3": "/", "one": {"2": "x", "\\"": "\\\\\\"\\n\\u0001é\u{1f600}\u007f"}, "$svc": {"statusA": ""}}'
  const room = 65_536 - Buffer.byteLength(bytes)
  const three = { statusB: 16_384, statusC: 16_384, statusD: 16_384 }
  for (const [name, length] of Object.entries(three)) await client.set(`$svc.${name}`, 'v'.repeat(length), big)
  const left = room - Object.keys(three).length * ('"statusB": "", '.length + 16_384)
  expect(await client.set('$svc.statusA', 'v'.repeat(left + 1), big)).toEqual(code('LIMIT_EXCEEDED', /65536.*65537/))
  expect(await client.set('$svc.statusA', 'v'.repeat(left), big)).toEqual({ result: 'v'.repeat(left) })
  expect(await client.set('3', '/v', big)).toEqual(code('LIMIT_EXCEEDED', /65536.*65537/))
  expect(await client.set('3', 'v', big)).toEqual({ result: 'v' })
})

test('limits base values and each context to 200 names, and a target to 64 contexts', async () => {
  const id = await client.addDevice()
  const names = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`g${index % 7}.n${index}`, 'x']))
  expect(await client.setAll({ ...names, more: 'x' }, id)).toEqual(code('LIMIT_EXCEEDED', /200.*201/))
  expect(await client.setAll(names, id)).toEqual({ result: expect.anything() })
  expect(await client.setAll(names, id, 'day')).toEqual({ result: expect.anything() })
  for (const context of [null, 'day']) {
    expect(await client.set('more', 'x', id, context)).toEqual(code('LIMIT_EXCEEDED', /200.*201/))
    expect(await client.set('g0.n0', 'y', id, context)).toEqual({ result: 'y' })
  }
  const items = Array.from({ length: 65 }, (_, index) => ({
    serviceId: service,
    attributes: { a: 'x' },
    context: `c${index}`,
  }))
  const { data } = await client.setMany(items)
  const codes = (data!.setAttributesMany as { code: string | null }[]).map((result) => result.code)
  expect(codes).toEqual([...Array.from({ length: 64 }, () => null), 'LIMIT_EXCEEDED'])
  expect(await client.set('a', null, service, 'c0')).toEqual({ result: null })
  expect(await client.set('a', 'x', service, 'c64')).toEqual({ result: 'x' })
  await client.setMany(items.map((item) => ({ ...item, attributes: { a: null } })))
  expect(await client.read(service)).toEqual({ attributes: {}, contexts: [] })
})

test('applies the same rules to the attributes of a new device', async () => {
  const document = `mutation ($attributes: Object) { registerDevice(name: "new", attributes: $attributes) {
    device { attributes categoryB } } }`
  const register = async (attributes: unknown) => {
    const { data, errors } = await app.owner.query(document, { attributes })
    return errors?.[0]?.extensions.code ?? data.registerDevice.device
  }
  expect(await register({ 'net.ssid': 'x', $svc: { categoryB: 'c' }, gone: null })).toEqual({
    attributes: { net: { ssid: 'x' }, $svc: { categoryB: 'c' } },
    categoryB: 'c',
  })
  expect(await register({})).toEqual({ attributes: {}, categoryB: null })
  expect(await register(null)).toEqual({ attributes: {}, categoryB: null })
  expect(await register({ a: 1 })).toBe('BAD_USER_INPUT')
  expect(await register({ '$ui.a': 'x' })).toBe('RESERVED_ATTRIBUTE')
  expect(await register(ofSize(65_537))).toBe('LIMIT_EXCEEDED')
  const names = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`n${index}`, '']))
  expect(await register(names)).toBe('LIMIT_EXCEEDED')
})

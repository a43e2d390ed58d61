import { beforeAll, describe, expect, test } from 'vitest'
import { createUserWithDevices, devicesNamed, list, listError, names } from '../../../../test/api/device-lists.ts'
import { seedDevices } from '../../../../test/factories/seed-devices.ts'
import { sharedTestApp, startTestApp, type TestUser } from '../../../../test/harness/app.ts'

const app = sharedTestApp()
let other: TestUser

beforeAll(async () => {
  other = await app.createUser()
})

describe('pages of devices', () => {
  test('returns an empty page for a user without devices', async () => {
    expect(await list(other)).toEqual({ items: [], total: 0, hasMore: false, last: null, cursor: null })
  })

  test('applies size and from, and returns hasMore, last, and total', async () => {
    const { user } = await createUserWithDevices(app, devicesNamed('a', 'b', 'c', 'd', 'e'))
    const first = await list(user, { size: 2 })
    expect(first).toMatchObject({
      items: [{ name: 'a' }, { name: 'b' }],
      total: 5,
      hasMore: true,
      last: first.items[1]!.id,
    })
    expect(await names(user, { size: 2, from: 1 })).toEqual(['a', 'b'])
    expect(await names(user, { size: 2, from: 3 })).toEqual(['c', 'd'])
    expect(await list(user, { size: 2, from: 5 })).toMatchObject({ items: [{ name: 'e' }], hasMore: false, total: 5 })
    expect(await list(user, { size: 2, from: 6 })).toMatchObject({ items: [], hasMore: false, total: 5, last: null })
    expect(await list(user, { size: 5 })).toMatchObject({ hasMore: false })
  })

  test('treats a null argument as omitted', async () => {
    const { user } = await createUserWithDevices(app, devicesNamed('b', 'a'))
    const nulls = { size: null, from: null, after: null, last: null, sort: null, name: null, state: null, id: null }
    expect(
      await names(user, { ...nulls, hardwareId: null, platform: null, application: null, attributes: null }),
    ).toEqual(['a', 'b'])
  })

  test.each([0, -1, 1001])('rejects size %i', async (size) => {
    expect(await listError(app.owner, { size })).toEqual(['BAD_USER_INPUT', expect.stringContaining('1 to 1000')])
  })

  test.each([0, -5])('rejects from %i, and reports the position of the first record', async (from) => {
    expect(await listError(app.owner, { from })).toEqual([
      'BAD_USER_INPUT',
      expect.stringContaining('from must be 1 or more'),
    ])
  })

  test('continues after the ID in after or last, which is case-insensitive, and ignores from', async () => {
    const { user } = await createUserWithDevices(app, devicesNamed('a', 'b', 'c', 'd'))
    const { last } = await list(user, { size: 2 })
    for (const position of [
      { after: last },
      { last },
      { after: last, last },
      { after: last!.toUpperCase() },
      { last: last!.toUpperCase(), after: last },
      { last, from: 4 },
      { last, from: 0 },
    ]) {
      expect(await names(user, position)).toEqual(['c', 'd'])
    }
  })

  test('rejects different values of after and last', async () => {
    const { user, ids } = await createUserWithDevices(app, devicesNamed('a', 'b'))
    expect(await listError(user, { after: ids[0], last: ids[1] })).toEqual([
      'BAD_USER_INPUT',
      expect.stringContaining('after and last'),
    ])
  })

  test("continues after an item that the filters exclude, and rejects the ID of a deleted or another user's item", async () => {
    const { user, ids } = await createUserWithDevices(app, [
      { name: 'a', state: 'active' },
      { name: 'b' },
      { name: 'c', state: 'active' },
    ])
    expect(await names(user, { after: ids[1], state: 'active' })).toEqual(['c'])
    await user.data('mutation ($id: String!) { deleteDevice(deviceId: $id) }', { id: ids[1] })
    for (const id of [ids[1], '80:00:00:00:00:00:00:00', 'nonsense', '', ids[0]]) {
      const caller = id === ids[0] ? other : user
      expect(await listError(caller, { after: id })).toEqual(['NOT_FOUND', expect.stringContaining(JSON.stringify(id))])
    }
  })

  test('keeps the position of a cursor when its item moves or is deleted', async () => {
    const { user, ids } = await createUserWithDevices(app, devicesNamed('a', 'b', 'c', 'd'))
    const { cursor } = await list(user, { size: 2 })
    await user.data('mutation ($id: String!) { updateDevice(deviceId: $id, name: "z") { id } }', { id: ids[1] })
    expect(await names(user, { after: cursor })).toEqual(['c', 'd', 'z'])
    await user.data('mutation ($id: [String!]!) { deleteDevices(deviceId: $id) }', { id: [ids[1], ids[0]] })
    expect(await names(user, { after: cursor })).toEqual(['c', 'd'])
    expect(await names(user, { last: cursor })).toEqual(['c', 'd'])
  })

  test('rejects a cursor from another sort order', async () => {
    const { user } = await createUserWithDevices(app, devicesNamed('a', 'b'))
    const { cursor } = await list(user, { size: 1 })
    for (const sort of ['name desc', 'created asc', 'attributes.name asc']) {
      expect(await listError(user, { after: cursor, sort })).toEqual([
        'BAD_USER_INPUT',
        expect.stringContaining('another list or sort order'),
      ])
    }
    const { cursor: ofSite } = await list(user, { size: 1, sort: 'site', context: 'x' })
    expect((await listError(user, { after: ofSite, sort: 'site' }))[0]).toBe('BAD_USER_INPUT')
    expect(await names(user, { after: ofSite, sort: 'attributes.site ASC', context: 'x' })).toHaveLength(1)
  })

  test('rejects a truncated or modified cursor', async () => {
    const { user } = await createUserWithDevices(app, devicesNamed('a', 'b'))
    const { cursor } = await list(user, { size: 1 })
    for (const after of [
      cursor!.slice(0, -3),
      `${cursor!.slice(0, 12)}A${cursor!.slice(13)}B`,
      'c1.',
      'c1.%%',
      'c1.AAAAAA',
    ]) {
      expect((await listError(user, { after }))[0]).toBe('BAD_USER_INPUT')
    }
  })

  test('counts records from 0 if MUSTER_FIRST_RECORD is 0', async () => {
    const zero = await startTestApp({ env: { MUSTER_FIRST_RECORD: '0' } })
    try {
      await seedDevices(zero.db, zero.owner.accountId, devicesNamed('a', 'b', 'c'))
      expect(await names(zero.owner, { from: 0, size: 1 })).toEqual(['a'])
      expect(await names(zero.owner, { from: 1, size: 1 })).toEqual(['b'])
      expect(await listError(zero.owner, { from: -1 })).toEqual([
        'BAD_USER_INPUT',
        expect.stringContaining('from must be 0 or more'),
      ])
    } finally {
      await zero.close()
    }
  })
})

describe('device(id:)', () => {
  const byId = async (user: TestUser, id: string[]): Promise<string[]> =>
    (await user.data('query ($id: [String!]!) { login { device(id: $id) { name } } }', { id })).login.device.map(
      ({ name }: { name: string }) => name,
    )

  test('returns each device once, in the requested order, and omits unknown and malformed IDs', async () => {
    const { user, ids } = await createUserWithDevices(app, devicesNamed('a', 'b', 'c'))
    const [a, b, c] = ids as [string, string, string]
    expect(await byId(user, [c, 'nonsense', a.toUpperCase(), c, '80:00:00:00:00:00:00:00', b, a])).toEqual([
      'c',
      'a',
      'b',
    ])
    expect(await byId(user, [])).toEqual([])
    expect(await byId(other, ids)).toEqual([])
  })

  test('includes reserved attributes in the attributes field', async () => {
    const { user, ids } = await createUserWithDevices(app, [{ attributes: { site: 'x' }, statusA: 'ok' }])
    const { login } = await user.data(
      `query ($id: [String!]!) { login { device(id: $id) { ...more } devices { items { ... on Device { ...more } } } } }
       fragment more on Device { attributes statusA }`,
      { id: ids },
    )
    const expected = [{ attributes: { site: 'x', $svc: { statusA: 'ok' } }, statusA: 'ok' }]
    expect(login.device).toEqual(expected)
    expect(login.devices.items).toEqual(expected)
  })
})

test("does not list another user's devices", async () => {
  const { ids } = await createUserWithDevices(app, [
    { name: 'secret', hardwareId: 'hw', platform: 'p', attributes: { site: 'x' }, statusA: 'y' },
  ])
  const filters = [
    {},
    { name: 'secret' },
    { state: 'inactive' },
    { id: ids },
    { hardwareId: 'hw' },
    { platform: ['p'] },
    { application: [35] },
    { attributes: { site: 'x' } },
    { attributes: { '$svc.statusA': 'y' } },
    { attributes: { site: 'x', '$svc.statusA': 'y' }, context: 'c' },
    { from: 2 },
    ...['id', 'created', 'hardwareId', 'platform', 'state', 'lastReported', 'site', '$svc.statusA'].map((sort) => ({
      sort,
    })),
    { sort: 'site', context: 'c' },
  ]
  for (const filter of filters) expect(await list(other, filter)).toMatchObject({ items: [], total: 0 })
})

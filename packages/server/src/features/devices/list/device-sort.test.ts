import { describe, expect, test } from 'vitest'
import { createUserWithDevices, devicesNamed, list, listError, names } from '../../../../test/api/device-lists.ts'
import type { SeedDevice } from '../../../../test/factories/seed-devices.ts'
import { sharedTestApp } from '../../../../test/harness/app.ts'

const app = sharedTestApp()

describe('sorting devices', () => {
  test('orders strings naturally and case-insensitively, and equal strings by ID in the same direction', async () => {
    const { user, ids } = await createUserWithDevices(app, devicesNamed('node-10', 'Node-2', 'node-1', 'a', 'A', 'b'))
    const [first, second] = [ids[3]!, ids[4]!].sort()
    const sorted = await list(user, { sort: 'name' })
    expect(sorted.items.slice(2).map(({ name }) => name)).toEqual(['b', 'node-1', 'Node-2', 'node-10'])
    expect(sorted.items.slice(0, 2).map(({ id }) => id)).toEqual([first, second])
    const backwards = await list(user, { sort: 'name desc' })
    expect(backwards.items.map(({ id }) => id)).toEqual(sorted.items.map(({ id }) => id).reverse())
  })

  test.each([
    ['id', (devices: SeedDevice[]) => devices],
    ['created', (devices: SeedDevice[]) => devices],
  ])('sorts by %s', async (sort, expected) => {
    const devices = devicesNamed('z', 'y', 'x').map((device, index) => ({
      ...device,
      id: `80:00:00:00:00:00:00:0${index}`,
      created: new Date(1_700_000_000_000 + index),
    }))
    const { user } = await createUserWithDevices(app, devices)
    const sortedNames = expected(devices).map(({ name }) => name)
    expect(await names(user, { sort })).toEqual(sortedNames)
    expect(await names(user, { sort: `${sort} DESC` })).toEqual([...sortedNames].reverse())
    expect(await names(user, { sort: `-${sort}` })).toEqual([...sortedNames].reverse())
    expect(await names(user, { sort: `+${sort}` })).toEqual(sortedNames)
  })

  test('treats a sign as part of the name if a direction follows', async () => {
    const { user } = await createUserWithDevices(app, [
      { name: 'a', attributes: { site: '2', '-site': '1' } },
      { name: 'b', attributes: { site: '1', '-site': '2' } },
    ])
    expect(await names(user, { sort: '-site' })).toEqual(['a', 'b'])
    expect(await names(user, { sort: '-site desc' })).toEqual(['b', 'a'])
    expect(await names(user, { sort: '-site asc' })).toEqual(['a', 'b'])
    expect(await names(user, { sort: '+site' })).toEqual(['b', 'a'])
  })

  test.each([
    ['hardwareId', 'hardwareId', ['hw-1', 'hw-2', 'hw-10']],
    ['platform', 'platform', ['linux 5', 'Linux 6', 'windows']],
    ['lastReported', 'lastReported', [new Date(1_000), new Date(2_000), new Date(3_000)]],
    ['$svc.statusA', 'statusA', ['A1', 'a2', 'a10']],
  ])('sorts by %s, with missing values last in both directions', async (sort, field, [low, middle, high]) => {
    const { user } = await createUserWithDevices(app, [
      { id: '80:00:00:00:00:00:00:02', name: 'none 2' },
      { name: 'high', [field]: high },
      { id: '80:00:00:00:00:00:00:01', name: 'none 1' },
      { name: 'low', [field]: low },
      { name: 'middle', [field]: middle },
    ])
    expect(await names(user, { sort })).toEqual(['low', 'middle', 'high', 'none 1', 'none 2'])
    expect(await names(user, { sort: `${sort} desc` })).toEqual(['high', 'middle', 'low', 'none 2', 'none 1'])
    for (const from of [2, 3, 4, 5, 6]) {
      expect(await names(user, { sort, from, size: 2 })).toEqual(
        ['low', 'middle', 'high', 'none 1', 'none 2'].slice(from - 1, from + 1),
      )
    }
  })

  test('sorts by state', async () => {
    const { user } = await createUserWithDevices(app, [{ name: 'off' }, { name: 'on', state: 'active' }])
    expect(await names(user, { sort: 'state' })).toEqual(['on', 'off'])
    expect(await names(user, { sort: 'state desc' })).toEqual(['off', 'on'])
  })

  test('sorts by attribute names of one or two levels, with groups and missing values last', async () => {
    const { user } = await createUserWithDevices(app, [
      { name: 'third', attributes: { site: 'oslo 10', net: { ssid: 'c' } } },
      { name: 'first', attributes: { site: 'Oslo 2', net: { ssid: 'a' } } },
      { name: 'fourth', attributes: { site: { a: 'b' }, net: 'value' }, id: '80:ff:ff:ff:ff:ff:ff:fe' },
      { name: 'fifth', id: '80:ff:ff:ff:ff:ff:ff:ff' },
      { name: 'second', attributes: { site: 'oslo 3', net: { ssid: 'b' } } },
    ])
    const ascending = ['first', 'second', 'third', 'fourth', 'fifth']
    for (const sort of ['site', 'site asc', 'attributes.site', 'net.ssid'])
      expect(await names(user, { sort })).toEqual(ascending)
    expect(await names(user, { sort: 'site desc' })).toEqual(['third', 'second', 'first', 'fifth', 'fourth'])
  })

  test('sorts a value that looks like a group as a string', async () => {
    const { user } = await createUserWithDevices(app, [
      { name: 'group', attributes: { site: { a: 'b' } } },
      { name: 'letter', attributes: { site: 'f' } },
      { name: 'tilde', attributes: { site: '~' } },
      { name: 'brace', attributes: { site: '{"a": "b"}' } },
      { name: 'accent', attributes: { site: 'étage' } },
    ])
    expect(await names(user, { sort: 'site' })).toEqual(['brace', 'tilde', 'accent', 'letter', 'group'])
    expect(await names(user, { sort: 'site desc' })).toEqual(['letter', 'accent', 'tilde', 'brace', 'group'])
  })

  test('sorts by the value of an attribute in a context', async () => {
    const { user } = await createUserWithDevices(app, [
      { name: 'a', attributes: { site: '3' }, statusA: '3', overrides: { lab: { site: '1', $svc: { statusA: '1' } } } },
      { name: 'b', attributes: { site: '2' }, statusA: '2' },
      { name: 'c', overrides: { lab: { site: '4', $svc: { statusA: '4' } } } },
    ])
    for (const sort of ['site', '$svc.statusA']) {
      expect(await names(user, { sort })).toEqual(['b', 'a', 'c'])
      expect(await names(user, { sort, context: 'lab' })).toEqual(['a', 'b', 'c'])
      expect(await names(user, { sort: `${sort} desc`, context: 'lab' })).toEqual(['c', 'b', 'a'])
      expect(await names(user, { sort, context: 'elsewhere' })).toEqual(['b', 'a', 'c'])
    }
  })

  test('prefers a field to an attribute with the same name, and accepts names with spaces before a direction', async () => {
    const { user } = await createUserWithDevices(app, [
      { name: 'a', attributes: { name: '2', 'rack row': '2' } },
      { name: 'b', attributes: { name: '1', 'rack row': '1' } },
    ])
    expect(await names(user, { sort: 'name' })).toEqual(['a', 'b'])
    expect(await names(user, { sort: 'attributes.name' })).toEqual(['b', 'a'])
    expect(await names(user, { sort: 'rack row asc' })).toEqual(['b', 'a'])
  })

  test.each([
    '',
    ' ',
    ' asc',
    'name up',
    'rack row',
    'name  asc',
    'name ',
    '.site',
    'site.',
    'attributes.',
    'si\u0007te',
  ])('rejects the sort %j', async (sort) => {
    expect((await listError(app.owner, { sort }))[0]).toBe('BAD_USER_INPUT')
  })

  test('sorts long attribute values by their first 200 characters', async () => {
    const long = 'x'.repeat(200)
    const { user, ids } = await createUserWithDevices(app, [
      {
        name: 'a',
        id: '80:00:00:00:00:00:00:02',
        attributes: { site: `${long}1` },
        statusA: `${long}${'1'.repeat(16_000)}`,
      },
      { name: 'b', id: '80:00:00:00:00:00:00:01', attributes: { site: `${long}2` }, statusA: `${long}2` },
    ])
    for (const sort of ['site', '$svc.statusA']) {
      expect(await names(user, { sort })).toEqual(['b', 'a'])
      expect(await names(user, { sort, after: ids[1] })).toEqual(['a'])
    }
  })
})

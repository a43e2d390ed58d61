import { describe, expect, test } from 'vitest'
import { createUserWithDevices, devicesNamed, list, listError, names } from '../../../../test/api/device-lists.ts'
import { sharedTestApp } from '../../../../test/harness/app.ts'

const app = sharedTestApp()

describe('filters of the device list', () => {
  test('match every form of the letter sigma in a name', async () => {
    const { user } = await createUserWithDevices(app, devicesNamed('ΟΔΟΣ', 'ΟΔΟΣ 5', 'ΟΔΟΣΑΒ', 'οδος', 'ΟΔΟΤ'))
    const each = ['ΟΔΟΣ', 'ΟΔΟΣ 5', 'ΟΔΟΣΑΒ', 'οδος']
    for (const name of ['Σ', 'σ', 'ς', 'οΔοσ', 'ΟΔΟς'])
      expect((await names(user, { name })).toSorted(), name).toEqual(each)
    expect(await names(user, { name: 'ΣΑ' })).toEqual(['ΟΔΟΣΑΒ'])
  })

  test('match a part of the name case-insensitively and literally', async () => {
    const { user } = await createUserWithDevices(
      app,
      devicesNamed('100% Ärger', '100 percent', 'under_score', 'underscore', 'back\\slash', 'Straße'),
    )
    expect(await names(user, { name: '0%' })).toEqual(['100% Ärger'])
    expect(await names(user, { name: 'ärg' })).toEqual(['100% Ärger'])
    expect(await names(user, { name: 'R_S' })).toEqual(['under_score'])
    expect(await names(user, { name: '\\' })).toEqual(['back\\slash'])
    expect(await names(user, { name: 'STRAß' })).toEqual(['Straße'])
    expect(await names(user, { name: '' })).toHaveLength(6)
    expect(await names(user, { name: 'nowhere' })).toEqual([])
  })

  test('match state, hardwareId, and platform exactly, and id case-insensitively', async () => {
    const { user, ids } = await createUserWithDevices(app, [
      { name: 'a', state: 'active', hardwareId: 'A1', platform: 'Linux' },
      { name: 'b', hardwareId: 'A01', platform: 'linux' },
      { name: 'c' },
    ])
    expect(await names(user, { state: 'active' })).toEqual(['a'])
    expect(await names(user, { state: 'inactive' })).toEqual(['b', 'c'])
    expect(await listError(user, { state: 'ACTIVE' })).toEqual([
      'BAD_USER_INPUT',
      expect.stringContaining('active or inactive'),
    ])
    expect(await names(user, { hardwareId: 'A01' })).toEqual(['b'])
    expect(await names(user, { platform: ['linux', 'other'] })).toEqual(['b'])
    expect(await names(user, { id: [ids[2]!.toUpperCase(), ids[0], ids[0], '80:00:00:00:00:00:00:00', 'x'] })).toEqual([
      'a',
      'c',
    ])
    expect(await names(user, { state: 'active', platform: ['linux'] })).toEqual([])
  })

  test('match nothing for an empty list', async () => {
    const { user } = await createUserWithDevices(app, devicesNamed('a'))
    for (const filter of [{ id: [] }, { platform: [] }, { application: [] }]) {
      expect(await list(user, filter)).toMatchObject({ items: [], total: 0 })
    }
  })

  test('are rejected with more than 1,000 IDs', async () => {
    const id = Array.from({ length: 1001 }, () => '80:00:00:00:00:00:00:00')
    expect(await listError(app.owner, { id })).toEqual(['LIMIT_EXCEEDED', expect.stringContaining('1000')])
    expect(await listError(app.owner, { id: id.slice(1) })).toEqual(['no error', ''])
  })

  test('match devices with a service of one of the types, and all devices for the bulk service type', async () => {
    const user = await app.createUser()
    await user.data(`mutation {
      a: registerDevice(name: "a", services: [{ name: "s", application: 28 }, { name: "t", application: 28 }]) { secret }
      b: registerDevice(name: "b", services: [{ name: "w", application: 7 }]) { secret }
      c: registerDevice(name: "c") { secret }
    }`)
    expect(await names(user, { application: [28] })).toEqual(['a'])
    expect(await list(user, { application: [28, 7] })).toMatchObject({ total: 2 })
    expect(await names(user, { application: [999] })).toEqual([])
    expect(await names(user, { application: [35] })).toEqual(['a', 'b', 'c'])
  })

  test('match devices that have all given attribute values, and treat null as a missing value', async () => {
    const { user } = await createUserWithDevices(app, [
      { name: 'a', attributes: { site: 'oslo', net: { ssid: 'lab', mac: 'x' } }, statusA: 'ok' },
      { name: 'b', attributes: { site: 'oslo', net: { ssid: 'home' } }, statusA: 'OK' },
      { name: 'c', attributes: { site: 'rome', net: 'none' } },
      { name: 'd' },
    ])
    expect(await names(user, { attributes: {} })).toEqual(['a', 'b', 'c', 'd'])
    expect(await names(user, { attributes: { site: 'oslo' } })).toEqual(['a', 'b'])
    expect(await names(user, { attributes: { site: 'Oslo' } })).toEqual([])
    expect(await names(user, { attributes: { 'net.ssid': 'lab', site: 'oslo' } })).toEqual(['a'])
    expect(await names(user, { attributes: { net: { ssid: 'home' } } })).toEqual(['b'])
    expect(await names(user, { attributes: { net: 'none' } })).toEqual(['c'])
    expect(await names(user, { attributes: { net: '{"ssid": "home"}' } })).toEqual([])
    expect(await names(user, { attributes: { site: null } })).toEqual(['d'])
    expect(await names(user, { attributes: { 'net.mac': null } })).toEqual(['b', 'c', 'd'])
    expect(await names(user, { attributes: { net: null } })).toEqual(['d'])
    expect(await names(user, { attributes: { '$svc.statusA': 'ok' } })).toEqual(['a'])
    expect(await names(user, { attributes: { $svc: { statusA: 'ok', statusB: null } } })).toEqual(['a'])
    expect(await names(user, { attributes: { '$svc.statusA': null } })).toEqual(['c', 'd'])
    expect(await names(user, { attributes: { $svc: null } })).toEqual(['c', 'd'])
    expect(await names(user, { attributes: { constructor: null } })).toEqual(['a', 'b', 'c', 'd'])
    expect((await listError(user, { attributes: { site: 1 } }))[0]).toBe('BAD_USER_INPUT')
    expect((await listError(user, { attributes: { site: {} } }))[0]).toBe('BAD_USER_INPUT')
  })

  test('match attribute values in a context', async () => {
    const { user } = await createUserWithDevices(app, [
      {
        name: 'a',
        attributes: { site: 'oslo', net: { ssid: 'lab' } },
        statusA: 'ok',
        overrides: { c: { site: 'rome' } },
      },
      { name: 'b', attributes: { site: 'rome' }, overrides: { c: { net: { ssid: 'lab' }, $svc: { statusA: 'ok' } } } },
      { name: 'd', statusA: 'ok', overrides: { c: { $svc: { statusA: 'down' } }, other: { site: 'rome' } } },
    ])
    const context = 'c'
    expect(await names(user, { context, attributes: { site: 'rome' } })).toEqual(['a', 'b'])
    expect(await names(user, { context, attributes: { site: 'oslo' } })).toEqual([])
    expect(await names(user, { context, attributes: { site: 'rome', 'net.ssid': 'lab' } })).toEqual(['a', 'b'])
    expect(await names(user, { context, attributes: { site: null } })).toEqual(['d'])
    expect(await names(user, { context, attributes: { '$svc.statusA': 'ok' } })).toEqual(['a', 'b'])
    expect(await names(user, { context, attributes: { '$svc.statusA': 'down' } })).toEqual(['d'])
    expect(await names(user, { context, attributes: { '$svc.statusA': null } })).toEqual([])
    expect(await list(user, { context, attributes: { site: 'rome' }, sort: '$svc.statusA', size: 1 })).toMatchObject({
      total: 2,
    })
    expect((await listError(user, { context: '' }))[0]).toBe('BAD_USER_INPUT')
  })

  test.each([{ name: '\u0000' }, { hardwareId: 'a\u0000' }, { platform: ['\u0000'] }, { attributes: { a: '\u0000' } }])(
    'are rejected if they contain a string that cannot be stored: %j',
    async (filter) => {
      expect((await listError(app.owner, filter))[0]).toBe('BAD_USER_INPUT')
    },
  )
})

import { filterLimits } from '@muster/filter'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { attributeClient } from '../../../test/api/attributes.ts'
import { createUserWithDevices } from '../../../test/api/device-lists.ts'
import type { SeedDevice } from '../../../test/factories/seed-devices.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()

const document = `query ($where: String, $context: String, $sort: String, $size: Int) { login {
  devices(where: $where, context: $context, sort: $sort, size: $size) { items { name } total } } }`

async function find(user: TestUser, where: string, context?: string): Promise<string[]> {
  const { login } = await user.data(document, { where, context })
  const names = login.devices.items.map(({ name }: { name: string }) => name)
  expect(login.devices.total, where).toBe(names.length)
  return names
}

interface FilterError {
  code: string
  message: string
  filter: { message: string; line: number; column: number; length: number; suggestion: string | null }[]
}

async function rejection(user: TestUser, where: string): Promise<FilterError> {
  const { errors } = await user.query(document, { where })
  const { message, extensions } = errors![0]!
  return { code: extensions.code, message, filter: extensions.filter as FilterError['filter'] }
}

const fleet = async (...devices: SeedDevice[]): Promise<TestUser> => (await createUserWithDevices(app, devices)).user

describe('conditions of a filter', () => {
  test('match devices without a value with != and NOT', async () => {
    const user = await fleet(
      { name: 'a', attributes: { site: 'oslo', a: '1', b: '2' } },
      { name: 'b', attributes: { site: 'bergen', a: '1' } },
      { name: 'c' },
    )
    expect(await find(user, 'site != oslo')).toEqual(['b', 'c'])
    expect(await find(user, 'site:* AND site != oslo')).toEqual(['b'])
    expect(await find(user, 'NOT (a = 1 AND b = 2)')).toEqual(['b', 'c'])
    expect(await find(user, '-site:*')).toEqual(['c'])
  })

  test('accept attribute names with special characters, and names that are also fields or keywords', async () => {
    const names = ['state', 'rack row', 'AND', '__proto__', 'x"y', '50%_\\', 'constructor']
    const user = await fleet(
      ...names.map((name) => ({ name, attributes: JSON.parse(`{${JSON.stringify(name)}: "v*1"}`) })),
      { name: 'a.b.c', attributes: { a: { 'b.c': 'v*1' } } },
    )
    for (const name of names) {
      const quoted = `attributes."${name.replaceAll(/["\\]/g, '\\$&')}"`
      expect(await find(user, `${quoted} = "v\\*1"`), name).toEqual([name])
      expect(await find(user, `${quoted}:*`), name).toEqual([name])
    }
    expect(await find(user, 'a.b.c = "v\\*1"')).toEqual(['a.b.c'])
    expect(await find(user, 'state = inactive')).toHaveLength(8)
  })

  test('do not compare a group with a value, but treat it as present', async () => {
    const user = await fleet(
      { name: 'group', attributes: { net: { ssid: 'lab' } } },
      { name: 'value', attributes: { net: '{"ssid": "lab"}' } },
    )
    expect(await find(user, `net = '{"ssid": "lab"}'`)).toEqual(['value'])
    expect(await find(user, 'net:*')).toEqual(['group', 'value'])
    expect(await find(user, 'net.ssid:*')).toEqual(['group'])
  })

  test('compare values by the type of the literal', async () => {
    const loads = ['-3', '-5', '-10', 'x', '1e400', '1'.repeat(41)]
    const user = await fleet(
      ...loads.map((load) => ({ name: `load ${load}`.slice(0, 20), attributes: { load } })),
      { name: '010', attributes: { rack: '010' } },
      { name: '10', attributes: { rack: '10' } },
      ...['2.9', '2.10', '2.10.1', '2.10-rc1'].map((firmware) => ({ name: firmware, attributes: { firmware } })),
    )
    expect(await find(user, 'load > -5')).toEqual(['load -3'])
    expect(await find(user, 'rack = 010')).toEqual(['010'])
    expect(await find(user, 'rack = 10')).toEqual(['10'])
    expect(await find(user, 'firmware >= "2.10"')).toEqual(['2.10', '2.10-rc1', '2.10.1'])
    expect((await rejection(user, 'firmware >= 2.10')).filter).toEqual([
      expect.objectContaining({ column: 13, length: 4, suggestion: 'firmware >= "2.10"' }),
    ])
    expect((await rejection(user, 'firmware >= 2.9')).filter[0]!.suggestion).toBe('firmware >= "2.9"')
  })

  test('do not match values that are not times in a comparison with a time', async () => {
    const backups = ['2020-02-30', '2020-02-29T08:00:00', 'long ago', '2020-02-29', '2020-02-28T23:00:00-05:00']
    const user = await fleet(...backups.map((lastBackup) => ({ name: lastBackup, attributes: { lastBackup } })))
    expect(await find(user, 'lastBackup < -7d')).toEqual(['2020-02-28T23:00:00-05:00', '2020-02-29'])
    expect(await find(user, 'lastBackup < 2020-02-29T04:00:00Z')).toEqual(['2020-02-29'])
  })

  test('find a part of a value in the same way as the name filter', async () => {
    const user = await fleet(
      ...['ISTANBUL', 'ıstanbul', 'İstanbul', 'Straße', 'ΟΔΟΣ', 'οδος'].map((site) => ({
        name: site,
        attributes: { site },
      })),
    )
    for (const part of ['I', 'ı', 'STRAß', 'Σ', 'ΟΔΟΣ', 'ς', 'i'] as const) {
      const { login } = await user.data('query ($name: String) { login { devices(name: $name) { items { name } } } }', {
        name: part,
      })
      const expected = login.devices.items.map(({ name }: { name: string }) => name)
      expect(await find(user, `site:${part}`), part).toEqual(expected)
    }
  })

  test('treat an empty string as a value', async () => {
    const user = await fleet({ name: 'empty', attributes: { site: '' } }, { name: 'none' })
    expect(await find(user, 'site:*')).toEqual(['empty'])
    expect(await find(user, 'site = ""')).toEqual(['empty'])
    expect(await find(user, '')).toEqual(['empty', 'none'])
  })

  test('in a context, ignore the base value until its override is removed, except with base()', async () => {
    const user = await app.createUser()
    const own = attributeClient(user)
    const id = await own.addDevice({ site: 'base' })
    await own.set('site', 'other', id, 'night')
    const name = await find(user, 'base(site) = base', 'night')
    expect(name).toHaveLength(1)
    expect(await find(user, 'site = base', 'night')).toEqual([])
    expect(await find(user, 'in("night", site) = other')).toEqual(name)
    expect(await find(user, 'override("night", site) = other')).toEqual(name)
    expect(await find(user, 'override("c", site):*')).toEqual([])
    await own.set('site', null, id, 'night')
    expect(await find(user, 'site = base', 'night')).toEqual(name)
  })

  test('require one service that matches all conditions in services:(…)', async () => {
    const user = await app.createUser()
    await user.data(`mutation {
      a: registerDevice(name: "a", services: [{ name: "ssh", port: 22 }, { name: "web", port: 80 }]) { secret }
      b: registerDevice(name: "b") { secret } }`)
    expect(await find(user, 'services:(port = 22 name = web)')).toEqual([])
    expect(await find(user, 'services.port = 22 AND services.name = web')).toEqual(['a'])
    expect(await find(user, 'services.port != 22')).toEqual(['b'])
    expect(await find(user, 'services:*')).toEqual(['a'])
    expect(await find(user, 'services:ss')).toEqual(['a'])
  })

  test('find a word in the name, in the hardware ID, or at the beginning of the ID', async () => {
    const { user, ids } = await createUserWithDevices(app, [
      { name: 'Gate north', hardwareId: 'HW-77' },
      { name: 'door', hardwareId: 'gate-9' },
      { name: 'wall' },
    ])
    expect(await find(user, 'gate')).toEqual(['door', 'Gate north'])
    expect(await find(user, '"gate north"')).toEqual(['Gate north'])
    expect(await find(user, 'hw-77')).toEqual(['Gate north'])
    expect(await find(user, ids[2]!.toUpperCase())).toEqual(['wall'])
    expect(await find(user, 'name:(gate OR wall)')).toEqual(['Gate north', 'wall'])
    expect(await find(user, 'name:(gate north)')).toEqual(['Gate north'])
  })

  test('combine with the other arguments', async () => {
    const user = await fleet(
      { name: 'a1', attributes: { site: 'oslo' }, platform: 'linux' },
      { name: 'a2', attributes: { site: 'oslo' } },
      { name: 'b1', attributes: { site: 'oslo' }, platform: 'linux' },
    )
    const { login } = await user.data(
      '{ login { devices(where: "site = oslo", name: "a", platform: ["linux"]) { items { name } total } } }',
    )
    expect(login.devices).toEqual({ items: [{ name: 'a1' }], total: 1 })
  })
})

describe('rejected filters', () => {
  test('show both readings of a mix of AND and OR', async () => {
    const user = await fleet(
      { name: 'ab', attributes: { a: '1', b: '1' } },
      { name: 'ac', attributes: { a: '1', c: '1' } },
      { name: 'c', attributes: { c: '1' } },
    )
    const { code, message } = await rejection(user, 'a:* b:* OR c:*')
    expect(code).toBe('BAD_USER_INPUT')
    expect(message).toContain('(a:* b:*) OR c:*')
    expect(message).toContain('a:* (b:* OR c:*)')
    expect(await find(user, '(a:* b:*) OR c:*')).toEqual(['ab', 'ac', 'c'])
    expect(await find(user, 'a:* AND (b:* OR c:*)')).toEqual(['ab', 'ac'])
  })

  test('include those with an unknown short name, until a device uses the name', async () => {
    const user = await app.createUser()
    const own = attributeClient(user)
    const id = await own.addDevice()
    expect(await rejection(user, 'sate = active')).toEqual({
      code: 'BAD_USER_INPUT',
      message: 'where, column 1: Unknown attribute "sate". Did you mean "state"? Suggestion: state = active',
      filter: [
        {
          message: 'Unknown attribute "sate". Did you mean "state"?',
          line: 1,
          column: 1,
          length: 4,
          suggestion: 'state = active',
        },
      ],
    })
    const { message } = await rejection(user, 'state = on')
    expect(message).toBe('where, column 9: state must be active or inactive, not on. Suggestion: state = active')
    expect(await find(user, 'attributes.sate = active')).toEqual([])
    await own.set('sate', 'active', id)
    expect(await find(user, 'sate = active')).toHaveLength(1)
    await own.set('sate', null, id)
    expect(await find(user, 'sate = active')).toEqual([])
    await user.data('{ login { attributeNames { name } } }')
    expect(await find(user, 'sate = active')).toEqual([])
    const document = '{ login { checkFilter(where: "sate = active AND othre = x") { problems { message } } } }'
    const { problems } = (await user.data(document)).login.checkFilter
    expect(problems.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringMatching(/^Unknown attribute "othre"/),
    ])
  })

  test('report the position of a problem in code points', async () => {
    const { filter } = await rejection(app.owner, 'name:"😀"\nAND\n "😀" = = x')
    expect(filter[0]).toMatchObject({ line: 3, length: 1 })
    expect(filter[0]!.column).toBe(6)
  })

  test('include filters just above the limit on length, conditions, depth, or wildcards, but not filters at the limit', async () => {
    const limits = filterLimits
    const deep = (levels: number): string => `${'('.repeat(levels)}name:a${')'.repeat(levels)}`
    const pairs: [string, string][] = [
      [`name = "${'x'.repeat(limits.filterLength - 9)}"`, `name = "${'x'.repeat(limits.filterLength - 8)}"`],
      [
        Array(limits.filterTerms).fill('name:a').join(' '),
        Array(limits.filterTerms + 1)
          .fill('name:a')
          .join(' '),
      ],
      [deep(limits.filterDepth), deep(limits.filterDepth + 1)],
      [
        Array(limits.filterPatterns).fill('name:a*').join(' '),
        Array(limits.filterPatterns + 1)
          .fill('name:a*')
          .join(' '),
      ],
    ]
    for (const [accepted, rejected] of pairs) {
      await find(app.owner, accepted)
      expect((await rejection(app.owner, rejected)).code).toBe('LIMIT_EXCEEDED')
    }
  })

  test('include those with characters that the database cannot store', async () => {
    for (const where of ['name = "\u0000"', 'site = \ud800']) {
      expect((await rejection(app.owner, where)).code).toBe('BAD_USER_INPUT')
    }
  })
})

test('compares the times of values with age() and changed()', async () => {
  const user = await fleet(
    { name: 'new', attributes: { site: 'oslo' } },
    { name: 'none' },
    { name: 'old', attributes: { site: 'oslo' }, overrides: { night: { site: 'bergen' } } },
  )
  await sql`update attribute_times_start set since = '2020-01-01'`.execute(app.db)
  const changed = Date.parse('2026-01-02T03:04:05.678Z')
  await sql`update device set created = '2025-01-01', attribute_times = ${JSON.stringify({ site: changed })}::jsonb
    where account_id = ${user.accountId} and name = 'old'`.execute(app.db)
  await sql`update attribute_override set attribute_times = ${JSON.stringify({ site: Date.now() })}::jsonb
    where account_id = ${user.accountId}`.execute(app.db)
  expect(await find(user, 'age(site) > 2d')).toEqual(['old'])
  expect(await find(user, 'age(site) < 1h')).toEqual(['new'])
  expect(await find(user, 'NOT age(site) > 2d')).toEqual(['new', 'none'])
  expect(await find(user, 'age(site) > 2d', 'night')).toEqual([])
  expect(await find(user, 'age(site) < 1h', 'night')).toEqual(['new', 'old'])
  expect(await find(user, 'changed(site) = 2026-01-02')).toEqual(['old'])
  expect(await find(user, 'changed(site) = 2026-01-02T03:04:05.678Z')).toEqual(['old'])
  expect(await find(user, 'changed(site) != 2026-01-02')).toEqual(['new', 'none'])
  expect(await find(user, 'changed(site) = (2026-01-02 OR 2026-01-03)')).toEqual(['old'])
  expect(await find(user, 'changed(site) < -1d')).toEqual(['old'])
  expect((await rejection(user, 'age(sitte) > 2d')).filter[0]?.suggestion).toContain('site')
})

import { beforeAll, describe, expect, test } from 'vitest'
import { type Check, checkFilter, createRuleFleet, findNames } from '../../../test/filters/rule-fleet.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let user: TestUser
let ids: string[]
beforeAll(async () => {
  const created = await createRuleFleet(app)
  user = created.user
  ids = created.ids
})

const find = (where: string, context?: string): Promise<string> => findNames(user, where, context)

describe('devices that a filter matches', () => {
  test.each([
    ['id = {gate}', 'gate'],
    ['hardwareId = HW-1', 'gate'],
    ['hardwareId:hw', 'gate'],
    ['platform = (linux OR rtos)', 'gate wall'],
    ['state = active', 'gate'],
    ['online = false', 'door wall'],
    ['owner = "{owner}"', 'gate door wall'],
    ['NOT owner = "{owner}"', ''],
    ['contexts = night', 'gate'],
    ['contexts:*', 'gate'],
    ['attributes.state = x', 'gate'],
    ['categoryA = own', ''],
    ['attributes.categoryA = own', 'gate'],
    ['statusA = up', 'gate'],
    ['$svc.statusA = up', 'gate'],
    ['attributes."rack row" = "3"', 'gate'],
    ['"rack row" = "3"', 'gate'],
    ['"AND" = 1', 'wall'],
    ['attributes.never = 1', ''],
    ['site = oslo', 'gate'],
    ['site = (oslo OR "")', 'gate wall'],
    ['site = O*', 'door'],
    ['site = *-*', 'door'],
    ['site = "os\\*"', ''],
    ['site:os', 'gate door'],
    ['site:o*h', 'door'],
    ['site:*', 'gate door wall'],
    ['attributes:site', 'gate door wall'],
    ['attributes:net', 'gate'],
    ['net:*', 'gate'],
    ['name:(gate OR door)', 'gate door'],
    ['name:(a e)', 'gate'],
    ['site != oslo', 'door wall'],
    ['-site = oslo', 'door wall'],
    ['rack = 010', 'gate'],
    ['rack < 11', 'gate door'],
    ['rack < 2', ''],
    ['rack > 9', 'gate door'],
    ['rack < B', 'gate door'],
    ['NOT rack < 11', 'wall'],
    ['GATE', 'gate'],
    ['hw-', 'gate'],
    ['{gate}', 'gate'],
    ['g*e', 'gate'],
    ['any("OSLO")', 'gate door'],
    ['services:ss', 'gate'],
    ['services:*', 'gate'],
    ['services.port = 22', 'gate'],
    ['services.port != 22', 'door wall'],
    ['services:(port = 22 state = active)', ''],
    ['services.port = 22 AND services.state = active', 'gate'],
    ['services:(port = 80 AND online = true)', 'gate'],
    ['services:(application = SSH AND path = "/x")', 'gate'],
    ['services.application = 28', 'gate'],
    ['services.title = SSH', 'gate'],
    ['services.attributes.path = "/x"', 'gate'],
    ['services:(NOT enabled = true)', ''],
    ['created = 2026-02-03', 'gate door'],
    ['created = 2026-02-03T10:00:00Z', 'gate'],
    ['created != 2026-02-03', 'wall'],
    ['created < 2026-02-03T12:00:00+02:00', ''],
    ['created <= 2026-02-03T12:00:00+02:00', 'gate'],
    ['lastReported < -2d', 'door'],
    ['NOT lastReported >= -2d', 'door wall'],
    ['lastReported > -1d12h', 'gate'],
    ['created < now', 'gate door wall'],
    ['created > +1w', ''],
    ['name:gate state = active', 'gate'],
    ['name:gate OR name:door', 'gate door'],
    ['(name:gate OR name:door) state = inactive', 'door'],
    ['NOT (name:gate OR name:door)', 'wall'],
    ["name='gate'", 'gate'],
    ['name\n=\t"gate"', 'gate'],
    ['name and', ''],
    ['', 'gate door wall'],
    ['  ', 'gate door wall'],
  ])('finds the expected devices with %j', async (where, expected) => {
    const text = where.replaceAll('{gate}', ids[0]!).replaceAll('{owner}', user.email.toUpperCase())
    expect(await find(text)).toBe(expected)
  })

  test('reads attributes in a context', async () => {
    expect(await find('site = riga')).toBe('')
    expect(await find('site = riga', 'night')).toBe('gate')
    expect(await find('base(site) = oslo', 'night')).toBe('gate')
    expect(await find('in("night", site) = riga AND override("night", site):*')).toBe('gate')
    expect(await find('in("night", site) = "Oslo-North"')).toBe('door')
    expect(await find('override("night", site) = "Oslo-North"')).toBe('')
    expect(await find('base("rack row") = "3"')).toBe('gate')
  })

  test('accepts a list of 100 values, and rejects a list of 101', async () => {
    const values = (count: number): string =>
      `site = (${Array.from({ length: count }, (_, index) => `v${index}`).join(' OR ')})`
    expect(await find(values(100))).toBe('')
    const { errors } = await user.query('query ($where: String) { login { devices(where: $where) { total } } }', {
      where: values(101),
    })
    expect(errors![0]!.extensions.code).toBe('LIMIT_EXCEEDED')
  })
})

describe('invalid filters', () => {
  test.each([
    ['node.example', '"node.example"'],
    ['site = *', 'site:*'],
    ['a b OR c', null],
    ['site = oslo AND', null],
    ['site = "\\x"', null],
    ['site = "oslo', null],
    ['(site = oslo', null],
    ['site = (oslo AND riga)', null],
    ['site = (oslo riga)', null],
    ['AND = 1', null],
    ['$ui.columns = x', null],
    ['$svc.statusF = x', null],
    ['$other = x', null],
    ['port = 1', null],
    ['services.port = http', null],
    ['state = on', null],
    ['state > active', null],
    ['online = yes', null],
    ['id > 5', null],
    ['owner > a', null],
    ['created = -2d', null],
    ['created = 2026-02-30', null],
    ['created > yesterday', null],
    ['age(site) > -2d', null],
    ['rack >= 1.0', 'rack >= "1.0"'],
    ['type = DEVICE_STATE', null],
    ['statte = active', 'state = active'],
  ])('rejects %s', async (where, suggestion) => {
    const { errors } = await user.query('query ($where: String) { login { devices(where: $where) { total } } }', {
      where,
    })
    expect(errors?.[0]?.extensions.code, where).toBe('BAD_USER_INPUT')
    const problems = errors![0]!.extensions.filter as Check['problems']
    expect(problems.length, where).toBeGreaterThan(0)
    if (suggestion !== null) expect(problems[0]!.suggestion).toBe(suggestion)
    const { canonical, problems: checked } = await checkFilter(user, where)
    expect(canonical).toBeNull()
    expect(checked).toEqual(problems)
  })

  test('reports at most five syntax errors, but all semantic errors', async () => {
    expect((await checkFilter(user, '= = = = = = = = = = =')).problems.length).toBeLessThanOrEqual(5)
    const wrong = Array.from({ length: 8 }, (_, index) => `x${index}y = 1`).join(' AND ')
    expect((await checkFilter(user, wrong)).problems).toHaveLength(8)
  })

  test('counts lines and columns from 1', async () => {
    const { problems } = await checkFilter(user, 'name:"😀" AND\n  sate = x')
    expect(problems).toEqual([expect.objectContaining({ line: 2, column: 3, length: 4 })])
  })
})

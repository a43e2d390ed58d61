import { beforeAll, describe, expect, test } from 'vitest'
import { type Check, checkFilter, createRuleFleet, findNames } from '../../../test/filters/rule-fleet.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let user: TestUser
beforeAll(async () => {
  user = (await createRuleFleet(app)).user
})

const find = (where: string, context?: string): Promise<string> => findNames(user, where, context)
const check = (where: string, more?: Parameters<typeof checkFilter>[2]): Promise<Check> =>
  checkFilter(user, where, more)

describe('checkFilter', () => {
  test.each([
    ['site=oslo -platform:*', 'attributes.site = oslo AND NOT platform:*'],
    ['statusA:"a b" gate', 'attributes.$svc.statusA:"a b" AND gate'],
    ['site = ("a" OR "10" OR 10)', 'attributes.site = (a OR "10" OR "10")'],
    ['NOT (a.b = 1)', 'attributes.a.b != "1"'],
    ['services.port != 22', 'services.port != 22'],
    ['load > 0.8 firmware >= "2.10"', 'attributes.load > 0.8 AND attributes.firmware >= "2.10"'],
  ])('writes %s in canonical form', async (where, canonical) => {
    const known = where
      .replace('a.b', 'attributes.a.b')
      .replace('load', 'attributes.load')
      .replace('firmware', 'attributes.firmware')
    const checked = await check(known)
    expect(checked.canonical).toBe(canonical)
    const again = await check(canonical)
    expect(again.canonical).toBe(canonical)
    expect(await find(canonical)).toBe(await find(known))
  })

  test('reports no index for a comparison of a reserved name in a context', async () => {
    const isIndexed = async (where: string, context?: string): Promise<unknown> =>
      (await check(where, context === undefined ? {} : { context })).terms[0]?.isIndexed
    expect(await isIndexed('statusA >= a')).toBe(true)
    expect(await isIndexed('statusA >= a', 'night')).toBe(false)
    expect(await isIndexed('in("night", statusA) >= a')).toBe(false)
    expect(await isIndexed('base(statusA) >= a', 'night')).toBe(true)
  })

  test('reports the cost of reading many events for conditions on events, because no index finds the matches', async () => {
    const points = async (where: string): Promise<number> => (await check(where, { kind: 'EVENTS' })).points
    expect(await points('')).toBe(1)
    expect(await points('changed:site')).toBe(51)
    expect(await points('device.site = oslo')).toBe(51)
  })

  test('reports how each term compares values, and whether an index finds its matches', async () => {
    const terms = async (where: string): Promise<string[]> =>
      (await check(where)).terms.map(({ name, comparedAs, isIndexed }) => `${name} ${comparedAs} ${isIndexed}`)
    expect(await terms('site = oslo AND load > 0.8 AND site > b AND created < -2d')).toEqual([
      'attributes.site string true',
      'attributes.load number false',
      'attributes.site string false',
      'created time true',
    ])
    expect(await terms('statusA >= a AND statusA:b AND name:abc AND name:ab AND name:* AND platform = x')).toEqual([
      'attributes.$svc.statusA string true',
      'attributes.$svc.statusA string false',
      'name string true',
      'name string false',
      'name none false',
      'platform string true',
    ])
    expect(
      await terms(
        'NOT site = x AND services.port = 22 AND services:* AND hardwareId = 1 AND id = 80:00:00:00:00:00:00:01',
      ),
    ).toEqual([
      'attributes.site string false',
      'services.port number true',
      expect.stringMatching(/false$/),
      'hardwareId string true',
      'id string true',
    ])
    expect((await check('name:"😀" AND site = oslo')).terms.map(({ from, to }) => [from, to])).toEqual([
      [0, 8],
      [13, 24],
    ])
  })

  test('returns a problem for a character that the database cannot store', async () => {
    const { canonical, problems, terms } = await check('si\u0000te = oslo', { cursor: 4 })
    expect({ canonical, terms }).toEqual({ canonical: null, terms: [] })
    expect(problems).toEqual([
      expect.objectContaining({ message: expect.stringContaining('U+0000'), column: 3, suggestion: 'site = oslo' }),
    ])
    for (const where of ['attributes.\u0000 = "a\u0000', '\u0000', 'in("\u0000", site) = x'])
      for (let cursor = 0; cursor <= where.length; cursor++)
        expect((await check(where, { cursor })).canonical, `${where} at ${cursor}`).toBe(null)
  })

  test('warns about valid filters that are probably not intended', async () => {
    expect((await check('lastReported < -2d')).warnings).toEqual([
      { message: expect.stringContaining('NOT lastReported >= -2d') },
    ])
    expect((await check('lastReported > -2d')).warnings).toEqual([])
  })

  test('rejects terms that are not allowed for the given usage', async () => {
    const problemsFor = async (where: string, usage: string): Promise<string[]> => {
      const document =
        'query ($where: String!, $usage: FilterUsage!) { login { checkFilter(where: $where, usage: $usage) { canonical problems { message } } } }'
      const { canonical, problems } = (await user.data(document, { where, usage })).login.checkFilter
      expect(problems.length > 0).toBe(canonical === null)
      return problems.map(({ message }: { message: string }) => message)
    }
    const connected = 'state = active AND site = oslo AND created > -2d'
    for (const usage of ['LIST', 'VIEW', 'BULK']) expect(await problemsFor(connected, usage)).toEqual([])
    expect(await problemsFor(connected, 'ROLE')).toEqual([
      'state is not allowed in a role. Use another field or an attribute.',
      expect.stringMatching(/^Relative times are not allowed in a role\./),
    ])
    expect(await problemsFor(connected, 'ACCESS_KEY')).toEqual([
      'state is not allowed in an access key. Use another field or an attribute.',
      expect.stringMatching(/^Relative times are not allowed in an access key\./),
    ])
    expect(await problemsFor('view("vw_1")', 'VIEW')).toEqual([
      'view() is not allowed in a view. Write the filter of the other view instead.',
    ])
    const [error] = (
      await user.query('{ login { checkFilter(where: "port = 22", kind: SERVICES, usage: ROLE) { canonical } } }')
    ).errors!
    expect(error).toMatchObject({
      message: 'usage: a filter for ROLE selects devices, so kind must be DEVICES, not SERVICES',
      extensions: { code: 'BAD_USER_INPUT' },
    })
  })

  test('reports views that do not exist or that list other objects', async () => {
    const create = async (of: TestUser, kind: string): Promise<string> =>
      (await of.data(`mutation { createView(name: "States of ${kind}", kind: ${kind}) { id } }`)).createView.id
    const devices = await create(user, 'DEVICES')
    const services = await create(user, 'SERVICES')
    const foreign = await create(await app.createUser(), 'DEVICES')
    expect(await check(`view("${devices}")`)).toMatchObject({ canonical: `view("${devices}")`, problems: [] })
    const { canonical, problems } = await check(`view("${devices}") AND NOT view("${foreign}")`)
    expect(canonical).toBe(null)
    expect(problems).toEqual([
      expect.objectContaining({ message: `There is no view "${foreign}".`, column: 50, length: 29, suggestion: null }),
    ])
    expect((await check(`view(${services})`)).problems).toEqual([
      expect.objectContaining({
        message: 'The view "States of SERVICES" lists services. Use a view that lists devices.',
      }),
    ])
    expect((await check(`view(${services})`, { kind: 'SERVICES' })).problems).toEqual([])
  })

  test('succeeds even if the filter is invalid', async () => {
    for (const where of ['', '=', '"', 'x'.repeat(5_000), '('.repeat(50), 'site = oslo']) {
      const { canonical, problems } = await check(where)
      expect(problems.length > 0, where.slice(0, 20)).toBe(canonical === null && where !== '')
    }
  })

  test('completes names, operators, values, relative times, and views', async () => {
    await user.data('mutation { createView(name: "Oslo", where: "site = oslo") { id } }')
    const complete = async (text: string): Promise<Check['completions']> => {
      const cursor = [...text].indexOf('|')
      return (await check(text.replace('|', ''), { cursor })).completions
    }
    const suggested = async (text: string): Promise<string[]> => (await complete(text)).map((each) => each.text)
    expect(await complete('name:"😀" AND lo|ad = x')).toContainEqual({
      kind: 'name',
      text: expect.stringMatching(/load$/),
      from: 13,
      to: 17,
      count: 1,
    })
    expect(await suggested('site |')).toEqual(expect.arrayContaining(['=', '!=']))
    expect(await complete('platform = |')).toContainEqual(
      expect.objectContaining({ kind: 'value', text: 'linux', count: 1 }),
    )
    expect(await suggested('state = |')).toEqual(expect.arrayContaining(['active', 'inactive']))
    expect((await suggested('created > |')).some((text) => /^-\d/.test(text))).toBe(true)
    expect((await suggested('view(|')).length).toBeGreaterThan(0)
    expect((await check('site = oslo')).completions).toEqual([])
    const { errors } = await user.query('{ login { checkFilter(where: "a", cursor: 2) { canonical } } }')
    expect(errors![0]!.extensions.code).toBe('BAD_USER_INPUT')
  })

  test('checks filters of services and events', async () => {
    expect((await check('port = 22 AND device.site = oslo', { kind: 'SERVICES' })).canonical).toBe(
      'port = 22 AND device.attributes.site = oslo',
    )
    expect((await check('type:state AND changed:site', { kind: 'EVENTS' })).problems).toEqual([])
    expect((await check('port = 22', { kind: 'EVENTS' })).problems).toHaveLength(1)
  })
})

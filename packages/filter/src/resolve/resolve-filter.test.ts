import { describe, expect, test } from 'vitest'
import { check } from '../../test/fixtures.ts'
import type { ResolvedFilter } from './resolved.ts'
import type { ResolveOptions } from './resolving.ts'

const resolved = (text: string, options?: ResolveOptions): ResolvedFilter | null => {
  const { filter, problems } = check(text, options)
  expect(problems).toEqual([])
  return filter
}

const problems = (text: string, options?: ResolveOptions) =>
  check(text, options).problems.map(({ message, suggestion }) => ({ message, suggestion }))

const attribute = (...name: [string] | [string, string]) =>
  ({ type: 'attribute', of: 'device', name, read: { type: 'effective' } }) as const
const string = (value: string) => ({ type: 'string', value }) as const
const field = (of: string, name: string) => expect.objectContaining({ type: 'field', of, name })

describe('names', () => {
  test.each([
    ['site:*', attribute('site')],
    ['net.ssid:*', attribute('net', 'ssid')],
    ['net:*', attribute('net')],
    ['net."ssid 5":*', attribute('net', 'ssid 5')],
    ['a.b.c:*', attribute('a', 'b.c')],
    ['"a.b.c":*', attribute('a', 'b.c')],
    ['attributes.state:*', attribute('state')],
    ['attributes.attributes.x:*', attribute('attributes', 'x')],
    ['categoryA:*', attribute('$svc', 'categoryA')],
    ['$svc.statusE:*', attribute('$svc', 'statusE')],
    ['$svc:*', attribute('$svc')],
    ['attributes:site', attribute('site')],
    ['attributes:net.ssid', attribute('net', 'ssid')],
    ['state:*', field('device', 'state')],
    ['"state":*', field('device', 'state')],
  ])('resolves the name in %s', (text, subject) => {
    expect(resolved(text)).toEqual({ type: 'present', subject })
  })

  test.each([
    ['AND', '"AND"'],
    ['__proto__', '__proto__'],
    ['x"y', '"x\\"y"'],
    ['50%_\\', '"50%_\\\\"'],
    ['rack row', '"rack row"'],
    ['state', 'attributes.state'],
  ])('accepts an attribute named %s, in quotes or under `attributes.` if necessary', (name, short) => {
    const expected = { type: 'compare', subject: attribute(name), operator: '=', literal: string('v') }
    expect(resolved(`${short} = v`)).toEqual(expected)
    expect(resolved(`attributes."${name.replaceAll(/["\\]/g, '\\$&')}" = v`)).toEqual(expected)
  })

  test('rejects an unknown short name and suggests the closest known name', () => {
    const message = 'Unknown attribute "sate". Did you mean "state"?'
    expect(problems('sate = active')).toEqual([{ message, suggestion: 'state = active' }])
    expect(resolved('attributes.sate = active')).toBeTruthy()
    expect(check('attributes.sate = active').warnings).toHaveLength(1)
    expect(resolved('sate = active', { knownAttributes: new Set(['sate']) })).toBeTruthy()
    const withoutNames = { knownAttributes: undefined } as unknown as ResolveOptions
    expect(resolved('sate = active', withoutNames)).toBeTruthy()
  })

  test('reports unknown names, and suggests only names that the caller may read', () => {
    const names = { has: (name: string) => name === 'secret', keys: () => ['site'] }
    const found = check('sekret = 1 secret = 2 attributes.siet = 3 age(site.x) > 2d', { knownAttributes: names })
    expect(found.unknownNames).toEqual(['sekret', 'siet', 'site.x'])
    expect(found.problems[0]).toMatchObject({ column: 1, suggestion: null })
  })

  test.each([
    ['siet = x', 'site = x'],
    ['Site = x', 'site = x'],
    ['rak_row = x', '"rack row" = x'],
    ['rackrow = x', '"rack row" = x'],
    ['services.prot = 22', 'services.port = 22'],
    ['services:(prot = 22)', 'services:(port = 22)'],
    ['age(sitee) > 2d', 'age(site) > 2d'],
    ['qqqqqq = x', null],
    ['$svc.categoryF = x', '$svc.categoryA = x'],
  ])('suggests a correction of %s', (text, suggestion) => {
    expect(problems(text)).toMatchObject([{ suggestion }])
  })

  test.each(['$ui.theme = x', '$foo = x', 'attributes.$ui.x = x', '$svc.other = x', 'x..y = 1', 'si*te = x'])(
    'rejects %s',
    (text) => {
      expect(problems(text)).toHaveLength(1)
    },
  )

  test('prefers a field to an attribute with the same name', () => {
    expect(resolved('state = active')).toMatchObject({ subject: field('device', 'state') })
    expect(problems('attributes = x')[0]?.message).toContain('a name without wildcards')
    expect(problems('attributes:.x')[0]?.message).toContain('A level of an attribute name must not be empty')
    expect(problems('services = x')).toMatchObject([{ suggestion: 'services.name = x' }])
  })

  test('resolves the names of services and of their devices', () => {
    const service = { kind: 'service' } as const
    expect(resolved('site = x', service)).toMatchObject({ subject: { of: 'service', name: ['site'] } })
    expect(resolved('device.site = x', service)).toMatchObject({ subject: { of: 'device', name: ['site'] } })
    expect(resolved('device.state = active', service)).toMatchObject({ subject: field('device', 'state') })
    expect(resolved('device.services.port = 22', service)).toMatchObject({ type: 'services' })
    expect(problems('categoryA = x', service)).toMatchObject([{ suggestion: 'device.$svc.categoryA = x' }])
    expect(problems('device = x', service)).toHaveLength(1)
    expect(problems('devic = x', service)).toMatchObject([{ suggestion: null }])
    expect(problems('services.$svc.statusA = x')).toMatchObject([{ suggestion: '$svc.statusA = x' }])
    const message = '$svc contains only the names categoryA to categoryE and statusA to statusE, not foo.'
    expect(problems('services.$svc.foo = x')).toEqual([{ message, suggestion: null }])
    const ofServices =
      'Only devices have the attributes of $svc. In conditions on services, functions take attributes of services.'
    expect(problems('age($svc.statusA) > 2d', service)).toEqual([{ message: ofServices, suggestion: null }])
    expect(problems('services:(stale(statusA))')).toEqual([{ message: ofServices, suggestion: null }])
  })

  test('suggests quotes for a name with spaces', () => {
    const message = 'Unknown attribute "row". Did you mean "rack row"?'
    expect(problems('load > 1 AND rack row = 5')).toMatchObject([
      { message, suggestion: 'load > 1 AND "rack row" = 5' },
    ])
    expect(problems('crack row = 5')).toMatchObject([{ suggestion: null }])
    const knownAttributes = new Set(['site', 'rack row', 'z rack row'])
    expect(problems('(z rack row = 5)', { knownAttributes })).toMatchObject([{ suggestion: '("z rack row" = 5)' }])
    expect(problems('site = rack row = 5')).toMatchObject([{ suggestion: null }])
    expect(problems('site = z rack row = 5', { knownAttributes })).toMatchObject([
      { suggestion: 'site = z "rack row" = 5' },
    ])
    // A name with spaces does not count toward the limit of five searches for the closest name.
    const last = problems('qqq1 = 1 qqq2 = 1 qqq3 = 1 qqq4 = 1 rack row = 5 siet = 1').at(-1)
    expect(last).toMatchObject({ message: 'Unknown attribute "siet". Did you mean "site"?' })
  })

  test('suggests corrections of names from device filters in filters for services and events', () => {
    const service = { kind: 'service' } as const
    const event = { kind: 'event' } as const
    expect(problems('platform = linux', service)).toMatchObject([{ suggestion: 'device.platform = linux' }])
    expect(problems('services.port = 22', service)).toMatchObject([{ suggestion: 'port = 22' }])
    expect(problems('services:(platform = linux)')).toMatchObject([
      { suggestion: 'services:(device.platform = linux)' },
    ])
    expect(problems('hardwareId = x', event)).toMatchObject([{ suggestion: 'device.hardwareId = x' }])
    expect(problems('services.port = 22', event)).toMatchObject([{ suggestion: 'device.services.port = 22' }])
  })

  test('resolves the attributes of an event to those of its device', () => {
    const event = { kind: 'event' } as const
    expect(resolved('target.kind = webhook', event)).toMatchObject({ subject: field('event', 'target.kind') })
    expect(resolved('state = active', event)).toMatchObject({ subject: field('event', 'state') })
    expect(resolved('site = x', event)).toEqual(resolved('device.attributes.site = x', event))
    expect(resolved('changed:site changed(site) > -1d', event)).toMatchObject({
      operands: [{ subject: field('event', 'changed') }, { subject: { type: 'changed', of: 'device' } }],
    })
    expect(problems('target = x target.foo = x', event)).toHaveLength(2)
    expect(problems('type = DEVICE_STAT', { ...event, eventTypes: ['DEVICE_STATE'] })).toMatchObject([
      { suggestion: 'type = DEVICE_STATE' },
    ])
    expect(resolved('source = console', event)).toMatchObject({ subject: field('event', 'source') })
    expect(problems('source = Console source > a', event)).toMatchObject([
      {
        message:
          'source must be accessKey, console, device, job, server, or unknown, not Console. Did you mean console?',
        suggestion: 'source = console source > a',
      },
      { message: 'Use =, !=, or : with source, not >' },
    ])
  })
})

describe('functions', () => {
  test.each([
    ['base(site) = x', { ...attribute('site'), read: { type: 'base' } }],
    ['in("night", net.ssid) = x', { ...attribute('net', 'ssid'), read: { type: 'in', context: 'night' } }],
    ["override(night, 'rack row') = x", { ...attribute('rack row'), read: { type: 'override', context: 'night' } }],
    ['base(statusA) = x', { ...attribute('$svc', 'statusA'), read: { type: 'base' } }],
    ['base(attributes.state) = x', { ...attribute('state'), read: { type: 'base' } }],
  ])('resolves the subject of %s', (text, subject) => {
    expect(resolved(text)).toEqual({ type: 'compare', subject, operator: '=', literal: string('x') })
  })

  test.each([
    [
      'age(site) > 1d12h',
      { subject: { type: 'age', of: 'device', name: ['site'] }, literal: { type: 'duration', seconds: 129_600 } },
    ],
    ['changed(site) < -2d', { subject: { type: 'changed' }, literal: { type: 'relative', seconds: -172_800 } }],
    ['changed(site) = 2026-11-20', { literal: { type: 'day' } }],
    ['stale(net.ssid)', { type: 'stale', of: 'device', name: ['net', 'ssid'] }],
    ['view("v 1")', { type: 'view', id: 'v 1' }],
    ['any("oslo")', { type: 'any', of: 'device', literal: string('oslo') }],
    ['any(os*)', { literal: { type: 'pattern', parts: ['os', ''] } }],
  ])('resolves the function in %s', (text, expected) => {
    expect(resolved(text)).toMatchObject(expected)
  })

  test('rejects lists of durations', () => {
    const message = 'Compare age() with a single duration, as in age(site) > 2d'
    expect(check('name:a\nage(site) > (1d OR 2d)').problems).toMatchObject([{ message, line: 2, column: 13 }])
  })

  test.each([
    ['foo(site)', null],
    ['stal(site)', 'stale(site)'],
    ['age(site)', null],
    ['age(site) = 2d', null],
    ['age(site) = (1d OR 2d)', null],
    ['age(site) > -2d', 'age(site) > 2d'],
    ['age(site) > 5', null],
    ['age(state) > 2d', 'age(attributes.state) > 2d'],
    ['age(site, rack) > 2d', null],
    ['in(site) = x', null],
    ['in("", site) = x', null],
    ['stale(site) = true', null],
    ['any("")', null],
    ['any(*)', null],
    ['view("")', null],
    ['services:(view("x"))', null],
  ])('rejects %s', (text, suggestion) => {
    expect(problems(text)).toMatchObject([{ suggestion }])
  })
})

describe('operators', () => {
  test('treats != as NOT and =, including for services', () => {
    expect(resolved('site != a')).toEqual(resolved('NOT site = a'))
    expect(resolved('services.port != 22')).toEqual(resolved('NOT services.port = 22'))
    expect(resolved('services:(port != 22)')).not.toEqual(resolved('services.port != 22'))
    expect(resolved('site != (a OR b)')).toEqual(resolved('NOT site = (a OR b)'))
  })

  test('compares attribute values as they are written', () => {
    const literalOf = (text: string) => (resolved(text) as { literal?: unknown }).literal
    expect(literalOf('rack = 010')).toEqual(string('010'))
    expect(literalOf('rack = -2d')).toEqual(string('-2d'))
    expect(literalOf('rack = ""')).toEqual(string(''))
    expect(literalOf('site = os*')).toEqual({ type: 'pattern', parts: ['os', ''] })
    expect(literalOf('site = "os\\*"')).toEqual(string('os*'))
  })

  test('distinguishes one service that meets both conditions from two services that each meet one', () => {
    const port = {
      type: 'compare',
      subject: field('service', 'port'),
      operator: '=',
      literal: { type: 'number', decimal: '22' },
    }
    const state = { type: 'compare', subject: field('service', 'state'), operator: '=', literal: string('active') }
    expect(resolved('services:(port = 22 state = active)')).toEqual({
      type: 'services',
      condition: { type: 'and', operands: [port, state] },
    })
    expect(resolved('services.port = 22 AND services.state = active')).toEqual({
      type: 'and',
      operands: [
        { type: 'services', condition: port },
        { type: 'services', condition: state },
      ],
    })
    expect(resolved('services:*')).toEqual({ type: 'services', condition: null })
    expect(resolved('services:ssh')).toEqual(resolved('services.name:ssh'))
    expect(resolved('services:(site = x device.site = y)')).toMatchObject({
      condition: { operands: [{ subject: { of: 'service' } }, { subject: { of: 'device' } }] },
    })
    expect(problems('services:(device.services:*)')).toHaveLength(1)
    expect(problems('services.device.name = x')).toHaveLength(1)
  })

  test('resolves lists of values', () => {
    const subject = attribute('site')
    const literals = [string('a'), string('b')]
    expect(resolved('site = (a OR b)')).toEqual({ type: 'list', subject, operator: '=', match: 'any', literals })
    expect(resolved('site:(a OR b)')).toEqual({ type: 'list', subject, operator: ':', match: 'any', literals })
    expect(resolved('site:(a b)')).toEqual({ type: 'list', subject, operator: ':', match: 'all', literals })
    expect(resolved('site = (a)')).toEqual(resolved('site = a'))
    expect(problems('site = (a b)')).toMatchObject([{ suggestion: 'site = (a OR b)' }])
    expect(problems('site > (a OR b)')).toHaveLength(1)
    expect(problems('site = (a OR *)')).toHaveLength(1)
  })

  test.each([
    ['site = *', 'site:*'],
    ['site != *', 'NOT site:*'],
    ['site = "*"', 'site:*'],
    ['site = **', 'site:*'],
    ['site > a*', null],
    ['*', 'id:*'],
    ['""', 'id:*'],
  ])('rejects %s', (text, suggestion) => {
    expect(problems(text)).toMatchObject([{ suggestion }])
  })

  test('merges nested groups of the same kind', () => {
    expect(resolved('(site = a rack = b) load = c')).toEqual(resolved('site = a rack = b load = c'))
  })

  test('reports every semantic error, even if there are syntax errors', () => {
    expect(problems('aa = 1 bb = 2 cc = 3 dd = 4 ee = 5 ff = 6 AND y.z')).toHaveLength(7)
  })
})

import { describe, expect, test } from 'vitest'
import { check } from '../../test/fixtures.ts'
import type { ResolveOptions } from './resolving.ts'

const literalOf = (text: string, options?: ResolveOptions) => {
  const { filter, problems } = check(text, options)
  expect(problems).toEqual([])
  return (filter as { literal?: unknown }).literal
}
const problems = (text: string, options?: ResolveOptions) => check(text, options).problems
const service = { kind: 'service' } as const

describe('order comparisons of attributes', () => {
  test.each([
    ['load > 0.8', { type: 'number', decimal: '0.8' }],
    ['load > -5', { type: 'number', decimal: '-5' }],
    ['load > 10', { type: 'number', decimal: '10' }],
    ['lastBackup < -7d', { type: 'relative', seconds: -604_800 }],
    ['lastBackup < +1w2d3h4m5s', { type: 'relative', seconds: 788_645 }],
    ['lastBackup < now', { type: 'relative', seconds: 0 }],
    ['lastBackup < "now"', { type: 'string', value: 'now' }],
    ['lastBackup < 2026-11-20', { type: 'time', milliseconds: Date.UTC(2026, 10, 20) }],
    ['lastBackup < 2026-11-20T08:30:00.5+01:00', { type: 'time', milliseconds: Date.UTC(2026, 10, 20, 7, 30, 0, 500) }],
    ['lastBackup < 2026-11-20T08:30:00+0130', { type: 'time', milliseconds: Date.UTC(2026, 10, 20, 7, 0) }],
    ['lastBackup < 2026-11-20t08:30z', { type: 'time', milliseconds: Date.UTC(2026, 10, 20, 8, 30) }],
    ['firmware >= "2.10"', { type: 'string', value: '2.10' }],
    ['firmware >= 2.10.1', { type: 'string', value: '2.10.1' }],
    ['rack < B', { type: 'string', value: 'B' }],
    ['rack < "5"', { type: 'string', value: '5' }],
    ['rack < -5x', { type: 'string', value: '-5x' }],
    ['rack < -1h1d', { type: 'string', value: '-1h1d' }],
  ])('resolves the literal of %s', (text, literal) => {
    expect(literalOf(text)).toEqual(literal)
    expect(check(text).warnings).toEqual([])
  })

  test('rejects numbers that look like versions', () => {
    const [problem] = problems('firmware >= 2.10')
    expect(problem!.message).toBe('2.10 looks like a version. As a number, it equals 2.1. For a version, write "2.10"')
    expect(problem).toMatchObject({ column: 13, length: 4, suggestion: 'firmware >= "2.10"' })
    expect(problems('load > 1.0')).toHaveLength(1)
    expect(problems('firmware > 2.9')).toEqual([])
    const hasVersions = (name: string) => name === 'firmware'
    expect(problems('firmware > 2.9', { hasVersions })).toHaveLength(1)
    expect(problems('base(firmware) > 2.9', { hasVersions })).toHaveLength(1)
    expect(problems('firmware > 2 load > 2.9 firmware = 2.10', { hasVersions })).toEqual([])
  })

  test('rejects durations, which are valid only with age()', () => {
    expect(problems('lastBackup < 2d')).toMatchObject([{ suggestion: null }])
    expect(problems('created > 2d')).toMatchObject([{ suggestion: 'created > -2d' }])
  })

  test.each(['2026-02-30', '2026-11-20T08:30:00', '1e5', '+5', '.5'])(
    'warns that %s is compared as a string',
    (text) => {
      expect(literalOf(`load > ${text}`)).toEqual({ type: 'string', value: text })
      expect(check(`load > ${text}`).warnings).toMatchObject([{ kind: 'warning', suggestion: `load > "${text}"` }])
    },
  )
})

describe('fields', () => {
  test.each([
    ['created > 2026-01-01', { type: 'time', milliseconds: Date.UTC(2026, 0, 1) }],
    ['created > "2026-01-01"', { type: 'time', milliseconds: Date.UTC(2026, 0, 1) }],
    ['created = 2026-01-01', { type: 'day', milliseconds: Date.UTC(2026, 0, 1) }],
    ['created = 2026-01-01T00:00:00.001Z', { type: 'time', milliseconds: Date.UTC(2026, 0, 1) + 1 }],
    ['created = 0099-03-01', { type: 'day', milliseconds: Date.parse('0099-03-01') }],
    ['name >= m', { type: 'string', value: 'm' }],
    ['name = 22', { type: 'string', value: '22' }],
    ['name > 22', { type: 'string', value: '22' }],
    ['state = "active"', { type: 'string', value: 'active' }],
    ['online = true', { type: 'boolean', value: true }],
    ['id = 80:00:00:00:00:00:00:0A', { type: 'string', value: '80:00:00:00:00:00:00:0a' }],
    ['id:80:0A', { type: 'string', value: '80:0a' }],
    ['contexts:nig', { type: 'string', value: 'nig' }],
  ])('resolves the literal of %s', (text, literal) => {
    expect(literalOf(text)).toEqual(literal)
  })

  test.each([
    ['port > 1024', { type: 'number', decimal: '1024' }],
    ['port > 1024.5', { type: 'number', decimal: '1024.5' }],
    ['application = 28', { type: 'number', decimal: '28' }],
    ['application = "28"', { type: 'string', value: '28' }],
    ['application = SSH', { type: 'string', value: 'SSH' }],
    ['application:ssh', { type: 'string', value: 'ssh' }],
    ['enabled = false', { type: 'boolean', value: false }],
    ['protocol = tcp', { type: 'string', value: 'tcp' }],
  ])('resolves the literal of %s in a filter of services', (text, literal) => {
    expect(literalOf(text, service)).toEqual(literal)
  })

  test('treats : like = for state and Boolean fields, because inactive contains active', () => {
    expect(check('state:active').filter).toEqual(check('state = active').filter)
    expect(check('online:true').filter).toEqual(check('online = true').filter)
    expect(check('state:(active OR inactive)').filter).toEqual(check('state = (active OR inactive)').filter)
    expect(problems('state:act')).toHaveLength(1)
  })

  test.each([
    ['state = on', 'state = active'],
    ['state = aktiv', null],
    ['state > active', null],
    ['online = yes', 'online = true'],
    ['id < 80:00', null],
    ['id = gateway', null],
    ['owner > a', null],
    ['created = -2d', null],
    ['created = 2026-02-30', null],
    ['created > yesterday', null],
    ['created > 2026-*', null],
    ['created:2026-01-01', 'created = 2026-01-01'],
    ['created:-2d', null],
    ['created:(2026-01-01 OR x)', null],
    ['created > -999999999w', null],
  ])('rejects %s', (text, suggestion) => {
    expect(problems(text)).toMatchObject([{ kind: 'semantic', suggestion }])
  })

  test.each([
    ['port = http', null],
    ['port = 70000', null],
    ['port = 22.5', null],
    ['port:22', 'port = 22'],
    ['port:(22 OR 80)', 'port = (22 OR 80)'],
    ['port:(22 80)', null],
    ['port:http', null],
    ['enabled = on', 'enabled = true'],
    ['enabled < true', null],
    ['protocol = TCP', 'protocol = tcp'],
    ['application < SSH', null],
    ['lastReported = (2026-01-01 OR x)', null],
  ])('rejects %s in a service filter', (text, suggestion) => {
    expect(problems(text, service)).toMatchObject([{ kind: 'semantic', suggestion }])
  })
})

describe('warnings', () => {
  test.each([
    ['lastReported < -2d', 'NOT lastReported >= -2d'],
    ['lastReported <= 2026-01-01', 'NOT lastReported > 2026-01-01'],
    ['services.lastReported < -2d', 'NOT services.lastReported >= -2d'],
    ['gate and door', 'gate AND door'],
    ['gate || door', 'gate OR door'],
    ['site = “oslo”', 'site = "oslo"'],
  ])('warns about %s', (text, suggestion) => {
    expect(check(text)).toMatchObject({ problems: [], warnings: [{ suggestion }] })
  })

  test.each([
    'lastReported > -2d',
    'NOT lastReported >= -2d',
    'NOT lastReported < -2d',
    '-(state = active lastReported < -2d)',
    '"and"',
    'site = "“x”"',
  ])('does not warn about %s', (text) => {
    expect(check(text).warnings).toEqual([])
  })
})

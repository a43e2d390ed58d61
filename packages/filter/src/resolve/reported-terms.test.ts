import { describe, expect, test } from 'vitest'
import { check } from '../../test/fixtures.ts'
import type { FilterUsage } from './forbidden-terms.ts'

describe('terms', () => {
  test('reports the position, canonical name, and comparison of each term', () => {
    const text =
      'site = 5 load > 5 lastBackup > now age(site) > 2d created = 2026-01-01 stale(rack) gate site:* view(x)'
    expect(
      check(text).terms.map(({ from, to, ...rest }) => [text.slice(from, to), rest.name, rest.comparedAs]),
    ).toEqual([
      ['site = 5', 'attributes.site', 'string'],
      ['load > 5', 'attributes.load', 'number'],
      ['lastBackup > now', 'attributes.lastBackup', 'time'],
      ['age(site) > 2d', 'age(attributes.site)', 'duration'],
      ['created = 2026-01-01', 'created', 'time'],
      ['stale(rack)', 'stale(attributes.rack)', 'none'],
      ['gate', '', 'string'],
      ['site:*', 'attributes.site', 'none'],
      ['view(x)', 'view()', 'none'],
    ])
  })

  test('reports services and the terms inside them', () => {
    const names = (text: string) => check(text).terms.map(({ name }) => name)
    expect(names('services:(port = 22 site = x) services.host = y')).toEqual([
      'services',
      'port',
      'attributes.site',
      'services.host',
    ])
  })
})

describe('indexed filters', () => {
  test.each([
    'site = oslo',
    'site = (oslo OR bergen)',
    'in("night", site) = x',
    'override("night", site) = x',
    'statusA = x',
    'statusA >= "5"',
    'id = 80:00:00:00:00:00:00:0a',
    'hardwareId = x',
    'hardwareId:abc',
    'platform = (linux OR macos)',
    'state = active',
    'lastReported > -2d',
    'created < 2026-01-01',
    'name:gat',
    'name:"x*gat*"',
    'name:(a gat)',
    'gateway',
    'services.port = 22',
    'services.application = 28',
    'services:(port = 22 host:x)',
    'services:(site = x)',
    'site = a OR state = active',
    'site = a AND NOT rack = 5',
  ])('finds an index for %s', (text) => {
    expect(check(text)).toMatchObject({ problems: [], isIndexed: true })
  })

  test.each([
    'NOT site = oslo',
    'site != oslo',
    'site > a',
    'site = os*',
    'site = (os* OR b)',
    'site:osl',
    'site:*',
    'name:*',
    'name:ga',
    'name:(ga OR gate)',
    'name:"g*a*t"',
    'ga',
    'statusA > 5',
    'statusA:x',
    'age(site) > 2d',
    'changed(site) > -2d',
    'stale(site)',
    'any("oslo")',
    'view("x")',
    'stateSince > -2d',
    'services:*',
    'services:ssh',
    'services:(host:x)',
    'services.port != 22',
    'site = a OR rack:x',
  ])('finds no index for %s', (text) => {
    expect(check(text)).toMatchObject({ problems: [], isIndexed: false })
  })

  test('reports whether the whole filter and each term are indexed', () => {
    const isIndexed = (text: string) => check(text).terms.map((term) => term.isIndexed)
    expect(isIndexed('site = a AND NOT rack = 5')).toEqual([true, false])
    expect(isIndexed('services:(port = 22 host:x) load > 5')).toEqual([true, true, false, false])
    expect(check('view("x")', { isIndexedView: (id) => id === 'x' }).isIndexed).toBe(true)
    expect(check('').isIndexed).toBe(true)
    expect(check('port = 22 site = x', { kind: 'service' }).terms.map((term) => term.isIndexed)).toEqual([true, true])
  })
})

describe('uses of filters', () => {
  const rejected = (text: string) =>
    (['list', 'bulk', 'role', 'accessKey', 'view'] as const).filter(
      (usage: FilterUsage) => check(text, { usage }).problems.length > 0,
    )

  test.each([
    ['lastReported > 2026-01-01', ['role', 'accessKey']],
    ['stateSince > 2026-01-01', ['role', 'accessKey']],
    ['services.lastReported > 2026-01-01', ['role', 'accessKey']],
    ['state = active', ['role', 'accessKey']],
    ['services:(state = active)', ['role', 'accessKey']],
    ['online = true', ['role', 'accessKey']],
    ['state:*', ['role', 'accessKey']],
    ['attributes.state = active', []],
    ['created > -2d', ['role', 'accessKey']],
    ['lastBackup < now', ['role', 'accessKey']],
    ['changed(site) > -2d', ['role', 'accessKey']],
    ['changed(site) > 2026-01-01', []],
    ['rack = -2d', []],
    ['age(site) > 2d', ['role', 'accessKey']],
    ['stale(site)', ['role', 'accessKey']],
    ['view("x")', ['view']],
    ['', ['bulk']],
    [' \n', ['bulk']],
    ['id:*', []],
  ])('rejects %j exactly for these uses: %j', (text, usages) => {
    expect(rejected(text)).toEqual(usages)
  })
})

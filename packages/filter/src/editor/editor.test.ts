import { describe, expect, test } from 'vitest'
import { check } from '../../test/fixtures.ts'
import type { FilterKind } from '../names/fields.ts'
import { readsOf } from '../reads.ts'
import { fromChips, showChipValue, toChips, writeChipValue } from './chips.ts'
import { completionsAt } from './completions-at-cursor.ts'
import { tokens } from './highlight.ts'

function complete(marked: string, kind?: FilterKind) {
  const cursor = marked.indexOf('|')
  const text = marked.replace('|', '')
  const { from, to, expected, items } = completionsAt(text, cursor, kind)
  return { replaced: text.slice(from, to), expected, items: items.map((item) => item.text) }
}

describe('completion', () => {
  test.each([
    ['|', '', { type: 'name', of: 'device', lead: '', prefix: '' }],
    ['sta|', 'sta', { type: 'name', prefix: 'sta' }],
    ['st|ate = x', 'state', { type: 'name', prefix: 'st' }],
    ['net.ss| = x', 'net.ss', { type: 'name', prefix: 'net.ss' }],
    ['services.po|', 'services.po', { type: 'name', of: 'service', lead: 'services.', prefix: 'po' }],
    ['services:(po|', 'po', { type: 'name', of: 'service', lead: '', prefix: 'po' }],
    ['a AND (-si|', 'si', { type: 'name', prefix: 'si' }],
    ['age(si|', 'si', { type: 'name', isArgument: true, prefix: 'si' }],
    ['in("night", net.s|)', 'net.s', { type: 'name', isArgument: true, prefix: 'net.s' }],
    ['in("ni|", site)', '"ni"', { type: 'context', prefix: 'ni' }],
    ['view("ab|', '"ab', { type: 'view', prefix: 'ab' }],
    ['site |', '', { type: 'operator', subject: 'site' }],
    ['"rack row" |', '', { type: 'operator', subject: 'rack row' }],
    ['age(site) |', '', { type: 'operator', subject: 'age(site)' }],
    ['site = |', '', { type: 'value', subject: 'site', prefix: '', valueType: undefined }],
    ['site = os|lo AND', 'oslo', { type: 'value', prefix: 'os' }],
    ['site = "Oslo n|orth" x', '"Oslo north"', { type: 'value', prefix: 'Oslo n' }],
    ['site = (oslo OR be|)', 'be', { type: 'value', subject: 'site', prefix: 'be' }],
    ['services.state:|', '', { type: 'value', subject: 'services.state', of: 'service', valueType: 'state' }],
    ['created > -2|', '-2', { type: 'value', valueType: 'time', prefix: '-2' }],
    ['age(site) > |', '', { type: 'value', subject: 'age(site)', valueType: 'duration' }],
    ['site = x |', '', { type: 'keyword' }],
    ['site = (x |', '', { type: 'keyword' }],
  ])('expects the right kind of completion in %s', (marked, replaced, expectation) => {
    const found = complete(marked)
    expect(found.replaced).toBe(replaced)
    expect(found.expected[0]).toMatchObject(expectation)
  })

  test.each([
    ['sta|', ['state', 'stateSince', 'statusA', 'statusB', 'statusC', 'statusD', 'statusE', 'stale(']],
    ['services.po|', ['services.port']],
    ['state = |', ['active', 'inactive']],
    ['state |', ['=', '!=', ':', 'AND', 'OR']],
    ['created > |', ['-1h', '-1d', '-7d', '-30d', 'now']],
    ['created > -2|', ['-2m', '-2h', '-2d', '-2w']],
    ['site = x o|', ['OR', 'online', 'owner', 'override(']],
    ['(site = oslo)A|', ['AND']],
    ['stale(site) |', ['AND', 'OR', 'id']],
    ['age(site) > 1|', ['1m', '1h', '1d', '1w']],
  ])('offers completions in %s: %j', (marked, items) => {
    expect(complete(marked).items.slice(0, items.length)).toEqual(items)
  })

  test.each([
    'port:|',
    'created = |',
    'created:-|',
    'created != (|',
    'created > (|',
    'age(site) > (1d |',
    'changed(site) = |',
    'age(site) = |',
    'state >= |',
    'stale(site)|',
    'any(oslo) = |',
    'site = "oslo"|',
    '(site = oslo)|',
    '"rack row"x|',
  ])('offers nothing in %s, because the filter would be invalid', (marked) => {
    expect(complete(marked, marked.startsWith('port') ? 'service' : 'device')).toMatchObject({
      expected: [],
      items: [],
    })
  })

  test('offers only operators directly after age(), changed(), or a quoted name', () => {
    expect(complete('age(site)|').items).toEqual(['>', '>=', '<', '<='])
    expect(complete('changed(site)|').items).toEqual(['>', '>=', '<', '<=', '=', '!='])
    expect(complete('"rack row"|').items).toEqual(['=', '!=', ':', '<', '<=', '>', '>='])
  })

  test("offers the fields of the filter's kind of objects", () => {
    expect(complete('device.sta|', 'service')).toMatchObject({ expected: [{ of: 'device', lead: 'device.' }] })
    expect(complete('po|', 'service').items).toEqual(['port'])
    expect(complete('target.|', 'event').items).toEqual(['target.id', 'target.name', 'target.kind'])
    expect(complete('source = |', 'event').items).toEqual([
      ...['accessKey', 'console', 'device', 'job', 'server', 'unknown'],
    ])
  })
})

describe('highlighting', () => {
  const kindsOf = (text: string) => tokens(text).map(({ kind, from, to }) => `${kind} ${text.slice(from, to)}`)

  test('classifies names, values, and functions', () => {
    expect(kindsOf('-net.ssid = (a OR "b c") gate AND in("n", site):* services:(port>1)')).toEqual([
      ...[
        'operator -',
        'name net',
        'name .',
        'name ssid',
        'operator =',
        'paren (',
        'value a',
        'keyword OR',
        'value "b c"',
      ],
      ...[
        'paren )',
        'value gate',
        'keyword AND',
        'function in',
        'paren (',
        'value "n"',
        'operator ,',
        'name site',
        'paren )',
      ],
      ...[
        'operator :',
        'value *',
        'name services',
        'operator :',
        'paren (',
        'name port',
        'operator >',
        'value 1',
        'paren )',
      ],
    ])
  })

  test('marks errors, and continues after them', () => {
    expect(kindsOf(') a = "b')).toEqual(['error )', 'name a', 'operator =', 'error "b'])
    expect(kindsOf('(a ! == b')).toEqual(['error (', 'value a', 'error !', 'error ==', 'value b'])
  })
})

describe('chips', () => {
  const chip = { isNegated: false, matchesAll: false }

  test('converts the conditions of a conjunction to chips', () => {
    expect(toChips('site = (oslo OR "b c") -state = active -name:(a b) gate stale(x) rack:* age(x) > 2d')).toEqual([
      { ...chip, subject: 'site', operator: '=', values: ['oslo', '"b c"'] },
      { ...chip, subject: 'state', operator: '!=', values: ['active'] },
      { ...chip, subject: 'name', operator: ':', values: ['a', 'b'], isNegated: true, matchesAll: true },
      { ...chip, subject: '', operator: null, values: ['gate'] },
      { ...chip, subject: 'stale(x)', operator: null, values: [] },
      { ...chip, subject: 'rack', operator: ':', values: ['*'] },
      { ...chip, subject: 'age(x)', operator: '>', values: ['2d'] },
    ])
    expect(toChips('')).toEqual([])
  })

  test.each(['a OR b', 'services:(port = 22)', 'NOT (a b)', 'site:(*)', 'a AND'])('returns no chips for %s', (text) => {
    expect(toChips(text)).toBeUndefined()
  })

  test('formats chips as a filter', () => {
    const chips = [
      {
        ...chip,
        subject: 'site',
        operator: '=' as const,
        values: ['Oslo north', 'x'].map((each) => writeChipValue(each)),
      },
      { ...chip, subject: '', operator: null, values: [writeChipValue('a.b', { isWord: true })], isNegated: true },
    ]
    expect(fromChips(chips)).toBe('site = ("Oslo north" OR x) AND NOT "a.b"')
    expect(['"a \\* b"', 'oslo', '80:00', '"it\'s"'].map(showChipValue)).toEqual(['a * b', 'oslo', '80:00', "it's"])
  })
})

test('lists the data that a filter reads', () => {
  const { filter } = check(
    'site = a services:(port = 22 rack = 5) gate NOT in("n", net.ssid) = x view("v") any(z) stale(load)',
  )
  expect(readsOf(filter)).toEqual({
    fields: new Set(['service.port', 'device.name', 'device.hardwareId', 'device.id']),
    deviceAttributes: new Set(['site', 'net.ssid', 'load']),
    serviceAttributes: new Set(['rack']),
    isAnyAttribute: true,
    isServices: true,
    views: new Set(['v']),
  })
})

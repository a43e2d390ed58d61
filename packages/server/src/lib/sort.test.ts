import { describe, expect, test } from 'vitest'
import { parseSort, sortText } from './sort.ts'

const fields = ['name', 'created'] as const

describe('a sort order', () => {
  test.each([
    ['name', { field: 'name', direction: 'asc' }],
    ['name asc', { field: 'name', direction: 'asc' }],
    ['name DESC', { field: 'name', direction: 'desc' }],
    ['created Desc', { field: 'created', direction: 'desc' }],
    ['site', { attribute: 'site', direction: 'asc' }],
    ['$svc.statusA desc', { attribute: '$svc.statusA', direction: 'desc' }],
    ['attributes.name', { attribute: 'name', direction: 'asc' }],
    ['attributes.attributes.name', { attribute: 'attributes.name', direction: 'asc' }],
    ['Name', { attribute: 'Name', direction: 'asc' }],
    ['rack row desc', { attribute: 'rack row', direction: 'desc' }],
    ['site desc asc', { attribute: 'site desc', direction: 'asc' }],
    ['asc', { attribute: 'asc', direction: 'asc' }],
    ['attributes.name  asc', { attribute: 'name ', direction: 'asc' }],
    ['-created', { field: 'created', direction: 'desc' }],
    ['+created', { field: 'created', direction: 'asc' }],
    ['-attributes.name', { attribute: 'name', direction: 'desc' }],
    ['-$svc.statusA', { attribute: '$svc.statusA', direction: 'desc' }],
    ['--site', { attribute: '-site', direction: 'desc' }],
    ['-site asc', { attribute: '-site', direction: 'asc' }],
    ['+site DESC', { attribute: '+site', direction: 'desc' }],
    ['-created desc', { attribute: '-created', direction: 'desc' }],
    ['net.ssid asc', { attribute: 'net.ssid', direction: 'asc' }],
  ])('is read from %j as %j', (text, expected) => {
    expect(parseSort(text, fields)).toEqual(expected)
  })

  test.each([
    '',
    ' ',
    ' desc',
    'name sideways',
    'name a\u017fc',
    'name de\u017fc',
    'rack row',
    'name  desc',
    ' name asc',
    'attributes.',
    'attributes. asc ',
    '-',
    '+',
    '-attributes.',
    '-rack row',
  ])('is rejected as %j, with a message that describes valid orders', (text) => {
    expect(() => parseSort(text, fields)).toThrow(/a field \(name, created\) or an attribute name/)
  })

  test('has the same canonical form for equivalent arguments', () => {
    expect(sortText(parseSort('name', fields))).toBe(sortText(parseSort('name ASC', fields)))
    expect(sortText(parseSort('-name', fields))).toBe(sortText(parseSort('name desc', fields)))
    expect(sortText(parseSort('site', fields))).toBe(sortText(parseSort('attributes.site asc', fields)))
    expect(sortText(parseSort('attributes.name', fields))).not.toBe(sortText(parseSort('name', fields)))
  })
})

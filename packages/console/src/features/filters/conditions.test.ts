import { describe, expect, it, test } from 'vitest'
import {
  addCondition,
  chooseValues,
  conditionOn,
  nameAmongFields,
  replaceCondition,
  subjectOf,
  valuesOf,
} from './conditions.ts'

describe('a control that chooses values', () => {
  it.each([
    ['site = oslo OR site = riga', ['linux'], '(site = oslo OR site = riga) AND platform = linux'],
    [
      '(site = oslo OR site = riga) AND platform = linux',
      ['linux', 'Windows 11'],
      '(site = oslo OR site = riga) AND platform = (linux OR "Windows 11")',
    ],
    ['(site = oslo OR site = riga) AND platform = linux', [], '(site = oslo OR site = riga)'],
    ['platform = linux AND NOT (a:* AND b:*)', ['bsd'], 'platform = bsd AND (NOT (a:* AND b:*))'],
    ['platform = linux AND services:(port = 22)', ['bsd'], 'platform = bsd AND (services:(port = 22))'],
    ['platform = (linux AND arm)', ['bsd'], 'platform = (linux AND arm) AND platform = bsd'],
    ['platform = ', ['bsd'], '(platform = ) AND platform = bsd'],
  ])('changes only its own condition in %s', (where, values, expected) => {
    expect(chooseValues(where, 'platform', values)).toBe(expected)
  })

  it.each([
    ['platform = Deb*', ['Deb*', 'linux'], 'platform = (Deb* OR linux)'],
    ['platform = ("Deb\\*" OR "7")', ['7', 'Deb*'], 'platform = ("7" OR "Deb\\*")'],
    ['platform = ("linux" OR bsd)', ['linux'], 'platform = "linux"'],
  ])('keeps the values of %s as they are written', (where, values, expected) => {
    expect(chooseValues(where, 'platform', values)).toBe(expected)
  })

  it('shows the values of its condition in a filter with OR, unless OR joins that condition', () => {
    expect(valuesOf('(site = oslo OR site = riga) AND platform = (linux OR bsd)', 'platform')).toEqual(['linux', 'bsd'])
    expect(valuesOf('platform = linux OR platform = bsd', 'platform')).toEqual([])
  })
})

test('replaces and removes a condition in a filter that contains OR', () => {
  const where = '(type = A OR type = B) AND actor = x'
  expect(conditionOn(where, 'actor')).toEqual({ comparison: '=', values: ['x'] })
  const replaced = replaceCondition(where, 'actor', { comparison: '*', values: [] })
  expect(replaced).toBe('(type = A OR type = B) AND actor:*')
  expect(replaceCondition(replaced, 'actor', undefined)).toBe('(type = A OR type = B)')
})

test('puts a filter with OR in parentheses only once when conditions are added', () => {
  const condition = { subject: 'rack', comparison: '=', values: ['r1'] } as const
  const where = addCondition('site = oslo OR site = riga', condition)
  expect(where).toBe('(site = oslo OR site = riga) AND rack = r1')
  expect(addCondition(where, { ...condition, values: ['r2'] })).toBe(`${where} AND rack = r2`)
})

test.each([
  ['site', 'site', 'attributes.site'],
  ['state', 'attributes.state', 'attributes.state'],
  ['services.port', 'attributes.services.port', 'attributes.services.port'],
  ['services', 'attributes.services', 'attributes.services'],
  ['attributes.x', 'attributes.attributes.x', 'attributes.attributes.x'],
  ['a b.c', 'a b.c', 'attributes."a b".c'],
  ['$svc.statusA', '$svc.statusA', '$svc.statusA'],
  ['statusA', 'attributes.statusA', 'attributes.statusA'],
])('lists the attribute %s as %s, and filters by %s', (attribute, name, subject) => {
  expect(nameAmongFields(attribute)).toBe(name)
  expect(subjectOf(name)).toBe(subject)
})

test.each([
  ['state', 'state'],
  ['services.port', 'services.port'],
  ['attributes.rack', 'attributes.rack'],
  ['services.rack', 'services.attributes.rack'],
  ['statusA', '$svc.statusA'],
  ['services.statusA', 'services.attributes.statusA'],
])('writes the name %s as %s', (name, subject) => {
  expect(subjectOf(name)).toBe(subject)
})

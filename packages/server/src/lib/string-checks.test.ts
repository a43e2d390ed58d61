import { describe, expect, it } from 'vitest'
import { assertName, assertStorable, assertText, characters } from './string-checks.ts'

describe('a string argument', () => {
  it('is measured in code points', () => {
    expect(characters('')).toBe(0)
    expect(characters('aé')).toBe(2)
    expect(characters('🔑🔑')).toBe(2)
    assertText('🔑'.repeat(5), 'name', 5)
    expect(() => assertText('🔑'.repeat(6), 'services[1].name', 5)).toThrow(
      'services[1].name may have at most 5 characters, found 6',
    )
  })

  it.each(['a\u0000', '\ud800', '\udc00a', 'a\udbff'])('is rejected if the database cannot store it: %j', (text) => {
    expect(() => assertStorable(text, 'name')).toThrow(/^name must not contain/)
    expect(() => assertText(text, 'name', 10)).toThrow(/^name must not contain/)
  })

  it('is rejected as a name if it is empty or contains only whitespace', () => {
    assertName(' a ', 'name', 10)
    for (const blank of ['', ' ', '\t\n', '\u00a0'])
      expect(() => assertName(blank, 'name', 10)).toThrow('name must not be empty or only whitespace')
  })
})

import { expect, it } from 'vitest'
import { createRefusalLog, withoutInput } from './refusals.ts'

it('tells each reason once in ten seconds, and then how many there were', () => {
  const lines: unknown[] = []
  let now = 0
  const refused = createRefusalLog({ warn: (...line: unknown[]) => void lines.push(line) }, 'refused', () => now)
  for (let count = 0; count < 1_000; count++) refused('wrong secret', { address: '::1' })
  refused('unknown code', { address: '::1' })
  now = 10_001
  refused('wrong secret', { address: '::2' })
  expect(lines).toEqual([
    [{ address: '::1', reason: 'wrong secret', alsoRefused: 0 }, 'refused'],
    [{ address: '::1', reason: 'unknown code', alsoRefused: 0 }, 'refused'],
    [{ address: '::2', reason: 'wrong secret', alsoRefused: 999 }, 'refused'],
  ])
})

it.each([
  ['"a\\"b" is no member here; there are code, name', '"…" is no member here; there are code, name'],
  ['services[3].name: "x" is given twice, "y" is not', 'services[3].name: "…" is given twice, "…" is not'],
  [
    'attributes.net.ssid must be a string or null, found a number',
    'attributes.… must be a string or null, found a number',
  ],
  [
    'services[0].attributes["a b"].c: no level ends with a dot, as "c." does',
    'services[0].attributes.…: no level ends with a dot, as "…" does',
  ],
  ['at most 5 attributes, found 6', 'at most 5 attributes, found 6'],
])('a message is told without what was sent: %s', (message, told) => {
  expect(withoutInput(message)).toBe(told)
})

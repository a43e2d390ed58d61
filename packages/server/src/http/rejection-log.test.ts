import { expect, it } from 'vitest'
import { createRejectionLog, withoutInput } from './rejection-log.ts'

it('logs each reason at most once in ten seconds, with the number of rejections in between', () => {
  const lines: unknown[] = []
  let now = 0
  const logRejection = createRejectionLog({ warn: (...line: unknown[]) => void lines.push(line) }, 'refused', () => now)
  for (let count = 0; count < 1_000; count++) logRejection('wrong secret', { address: '::1' })
  logRejection('unknown code', { address: '::1' })
  now = 10_001
  logRejection('wrong secret', { address: '::2' })
  expect(lines).toEqual([
    [{ address: '::1', reason: 'wrong secret', suppressed: 0 }, 'refused'],
    [{ address: '::1', reason: 'unknown code', suppressed: 0 }, 'refused'],
    [{ address: '::2', reason: 'wrong secret', suppressed: 999 }, 'refused'],
  ])
})

it.each([
  ['"a\\"b" is not a known member; valid names: code, name', '"…" is not a known member; valid names: code, name'],
  ['services[3].name: "x" appears twice, "y" does not', 'services[3].name: "…" appears twice, "…" does not'],
  [
    'attributes.net.ssid must be a string or null, found a number',
    'attributes.… must be a string or null, found a number',
  ],
  [
    'services[0].attributes["a b"].c: no level ends with a dot, as "c." does',
    'services[0].attributes.…: no level ends with a dot, as "…" does',
  ],
  ['at most 5 attributes, found 6', 'at most 5 attributes, found 6'],
])('removes client input from a message: %s', (message, expected) => {
  expect(withoutInput(message)).toBe(expected)
})

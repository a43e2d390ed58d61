import { expect, it } from 'vitest'
import { createRefusalLog } from './refusals.ts'

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

import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hmacSha256 } from './hmac.ts'

test.each([0, 1, 32, 63, 64, 65, 200])('computes the HMAC of node:crypto for a secret of %i bytes', (length) => {
  const secret = randomBytes(length)
  for (const textLength of [0, 1, 55, 64, 400, 4_095, 4_096, 4_097, 10_000]) {
    const text = randomBytes(textLength).toString('latin1')
    const expected = createHmac('sha256', secret).update(text, 'latin1').digest('hex')
    expect(hmacSha256(secret, text).toString('hex')).toBe(expected)
  }
})

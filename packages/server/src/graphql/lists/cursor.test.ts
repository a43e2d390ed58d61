import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ApiError } from '../../errors.ts'
import { decodeCursor, encodeCursor, isCursor } from './cursor.ts'

const key = fc.oneof(
  fc.constant(null),
  fc.maxSafeInteger(),
  fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0')),
)
const place = fc.record({ key, id: fc.string() })

const rejection = (text: string, order: string): ApiError => {
  try {
    decodeCursor(text, order, 'after')
  } catch (error) {
    return error as ApiError
  }
  throw new Error(`expected decodeCursor to reject ${text}`)
}

test('decodes a cursor only for the sort order that it was created for', () => {
  fc.assert(
    fc.property(place, fc.string(), fc.string(), (given, order, other) => {
      const cursor = encodeCursor(order, given)
      expect(isCursor(cursor)).toBe(true)
      expect(decodeCursor(cursor, order, 'after')).toEqual(given)
      if (other !== order) expect(rejection(cursor, other)).toMatchObject({ code: 'BAD_USER_INPUT' })
    }),
  )
})

test('rejects a truncated or changed cursor', () => {
  fc.assert(
    fc.property(place, fc.nat(), fc.constantFrom('', 'A', '_'), (given, where, put) => {
      const cursor = encodeCursor('devices name asc', given)
      const at = 3 + (where % (cursor.length - 3))
      const altered = cursor.slice(0, at) + put + cursor.slice(at + 1)
      // The last base64 character may contain unused bits, so an altered cursor can decode to the same bytes.
      fc.pre(
        Buffer.compare(Buffer.from(altered.slice(3), 'base64url'), Buffer.from(cursor.slice(3), 'base64url')) !== 0,
      )
      expect(rejection(altered, 'devices name asc')).toMatchObject({ code: 'BAD_USER_INPUT' })
    }),
  )
})

test('rejects a forged cursor with values that the database does not accept', () => {
  for (const given of [
    { id: '\0', key: null },
    { id: '\ud800', key: null },
    { id: '1', key: '\0' },
  ])
    expect(rejection(encodeCursor('deliveries', given), 'deliveries')).toMatchObject({ code: 'BAD_USER_INPUT' })
})

test('distinguishes cursors from the IDs of devices and events', () => {
  for (const id of ['80:00:1f:00:00:00:00:01', '1234', '']) expect(isCursor(id)).toBe(false)
})

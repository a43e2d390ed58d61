import { expect, test } from 'vitest'
import { safeReturnPath } from './paths.ts'

test('a path of the console is returned to, with what it shows', () => {
  expect(safeReturnPath('/events?types=%5B%22DEVICE_STATE%22%5D')).toBe('/events?types=%5B%22DEVICE_STATE%22%5D')
})

test.each([
  undefined,
  '',
  'https://elsewhere.example/',
  '//elsewhere.example/',
  '/\\elsewhere.example/',
  'javascript:alert(1)',
  '/sign-in?next=/sign-in',
])('sign-in leads to the devices instead of %s', (path) => {
  expect(safeReturnPath(path)).toBe('/devices')
})

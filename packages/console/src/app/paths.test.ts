import { expect, test } from 'vitest'
import { safeReturnPath } from './paths.ts'

test('keeps a path of the console with its search parameters', () => {
  expect(safeReturnPath('/events?types=%5B%22DEVICE_STATE%22%5D')).toBe('/events?types=%5B%22DEVICE_STATE%22%5D')
})

test.each([
  undefined,
  '',
  'https://elsewhere.example/',
  '//elsewhere.example/',
  '/\\elsewhere.example/',
  '/\t/elsewhere.example/',
  '//',
  'javascript:alert(1)',
  '/sign-in?next=/sign-in',
])('replaces %s with the path of the overview', (path) => {
  expect(safeReturnPath(path)).toBe('/overview')
})

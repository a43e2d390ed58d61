import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { errorCodes } from '../../server/src/errors.ts'
import { errorOf, MusterError } from '../src/index.ts'

it.each(Object.keys(errorCodes))('throws a separate class for %s, which the README lists', (code) => {
  const error = errorOf([{ message: 'error', extensions: { code } }])
  expect(error).toBeInstanceOf(MusterError)
  expect(error.constructor).not.toBe(MusterError)
  expect(error.name).toBe(error.constructor.name)
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  expect(readme).toMatch(new RegExp(`^\\| \`${code}\` +\\| \`${error.name}\` +\\|`, 'm'))
})

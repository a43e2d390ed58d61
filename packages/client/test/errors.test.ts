import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { errorCodes } from '../../server/src/errors.ts'
import { errorOf, MusterError, OutcomeUnknownError, UnavailableError } from '../src/index.ts'
import { startFakeServer } from './fake-server.ts'

it.each(Object.keys(errorCodes))('creates an error of the class that the docs list for %s', (code) => {
  const error = errorOf([{ message: 'error', extensions: { code } }])
  expect(error).toBeInstanceOf(MusterError)
  expect(error.constructor).not.toBe(MusterError)
  expect(error.name).toBe(error.constructor.name)
  const page = readFileSync(new URL('../docs/errors-and-retries.md', import.meta.url), 'utf8')
  expect(page).toMatch(new RegExp(`^\\| \`${code}\` +\\| \`${error.name}\` +\\|`, 'm'))
})

it('reports whether a mutation made its change before the server became unavailable', async () => {
  const problem = (outcome: string) => ({ message: 'x', path: ['x'], extensions: { code: 'UNAVAILABLE', outcome } })
  const reply = (...outcomes: string[]) => ({ body: { data: null, errors: outcomes.map(problem) } })
  const { muster, received } = await startFakeServer([reply('done'), reply('done', 'unknown')])
  const error = await muster.query('mutation { x }').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UnavailableError)
  expect(error).toMatchObject({ message: 'x', errors: [{ extensions: { outcome: 'done' } }] })
  await expect(muster.query('mutation { x }')).rejects.toBeInstanceOf(OutcomeUnknownError)
  expect(received).toHaveLength(2)
})

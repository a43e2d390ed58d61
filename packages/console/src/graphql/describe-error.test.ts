import { CombinedError } from 'urql'
import { expect, test } from 'vitest'
import { describeError, errorText, isSignedOut } from './describe-error.ts'

const answer = (message: string, extensions: Record<string, unknown>): CombinedError =>
  new CombinedError({ graphQLErrors: [{ message, extensions }] })

test('the server’s message is shown as it is, as a sentence', () => {
  const error = answer('size must be from 1 to 1000, not 0', { code: 'BAD_USER_INPUT' })
  expect(describeError(error)).toEqual({ what: 'Size must be from 1 to 1000, not 0.', code: 'BAD_USER_INPUT' })
})

test('the name of an argument keeps its spelling', () => {
  const error = answer('publicKey: an Ed25519 public key is 32 bytes', { code: 'BAD_USER_INPUT' })
  expect(describeError(error).what).toBe('publicKey: an Ed25519 public key is 32 bytes.')
})

test('a fault of the server comes with the request id that finds it in the log', () => {
  const error = answer('a fault of the server', { code: 'INTERNAL', requestId: 'b1' })
  expect(describeError(error)).toMatchObject({ requestId: 'b1', advice: expect.stringContaining('log') })
})

test('no answer at all is told from an answer of something else', () => {
  const away = new CombinedError({ networkError: new TypeError('Failed to fetch') })
  const proxy = new CombinedError({ networkError: new SyntaxError('Unexpected token <') })
  expect(describeError(away).what).toBe('The server does not answer.')
  expect(describeError(proxy).what).toBe('Something other than the API answered.')
})

test('an ended session is known by its code alone', () => {
  expect(isSignedOut(answer('the session has ended', { code: 'UNAUTHENTICATED' }))).toBe(true)
  expect(isSignedOut(answer('no such device', { code: 'NOT_FOUND' }))).toBe(false)
})

test('one line has what happened and what to do', () => {
  expect(errorText(answer('too many requests', { code: 'RATE_LIMITED' }))).toBe(
    'Too many requests. Wait a moment, then try again.',
  )
})

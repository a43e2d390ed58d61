import { GraphQLError } from 'graphql'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../errors.ts'
import { formatResult } from './error-mapping.ts'

function mapped(thrown: unknown, classify?: (error: unknown) => ApiError | undefined) {
  const internal: unknown[] = []
  const originalError = thrown as Error
  const located = new GraphQLError(originalError.message ?? '', { originalError, path: ['a', 0] })
  const { errors = [] } = formatResult(
    { errors: [located], data: { a: null } },
    { requestId: 'req-1', onInternal: (error) => internal.push(error), classify },
  )
  return { ...errors[0], internal }
}

const withCode = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`failed: ${code}`), { code, ...more })

describe('a thrown error', () => {
  it('keeps the code, message, and details of an API error', () => {
    expect(mapped(new ApiError('LIMIT_EXCEEDED', 'too long', { limit: 3 }))).toEqual({
      message: 'too long',
      path: ['a', 0],
      extensions: { code: 'LIMIT_EXCEEDED', limit: 3 },
      internal: [],
    })
    const inner = new GraphQLError('taken', { extensions: { code: 'CONFLICT' } })
    expect(mapped(inner)).toMatchObject({ message: 'taken', extensions: { code: 'CONFLICT' } })
  })

  it.each([
    new Error('secret'),
    new TypeError('x is not a function'),
    withCode('23505'),
    withCode('ENOENT', { syscall: 'open' }),
    new GraphQLError('Int cannot represent non-integer value: "secret"'),
    new GraphQLError('unknown code', { extensions: { code: 'UNKNOWN_CODE' } }),
  ])('becomes INTERNAL without details if it is unexpected: %s', (error) => {
    const { message, extensions, internal } = mapped(error)
    expect(message).not.toContain(error.message)
    expect(extensions).toEqual({ code: 'INTERNAL', requestId: 'req-1' })
    expect(internal).toEqual([error])
  })

  it.each([
    withCode('ECONNREFUSED', { syscall: 'connect' }),
    withCode('ENOENT', { syscall: 'connect' }),
    withCode('ECONNRESET', { syscall: 'read' }),
    withCode('57P01'),
    withCode('57P03'),
    withCode('53300'),
    withCode('08006'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Connection terminated unexpectedly'),
    new AggregateError([withCode('ECONNREFUSED', { syscall: 'connect' })], 'all failed'),
  ])('becomes UNAVAILABLE if the server cannot reach the database: %s', (error) => {
    expect(mapped(error)).toMatchObject({ extensions: { code: 'UNAVAILABLE', retryAfter: 1 }, internal: [] })
  })

  it.each(['57014', '55P03'])('becomes UNAVAILABLE if the database takes too long: %s', (code) => {
    const { message, extensions, internal } = mapped(withCode(code))
    expect(extensions).toEqual({ code: 'UNAVAILABLE', retryAfter: 1 })
    expect(message).toContain('too long')
    expect(internal).toEqual([])
  })

  it('becomes BAD_USER_INPUT if an argument is invalid', () => {
    const error = new GraphQLError('Argument "id" of non-null type "ID!" must not be null.')
    expect(mapped(error)).toMatchObject({ message: error.message, extensions: { code: 'BAD_USER_INPUT' } })
  })

  it("is mapped by the caller's function `classify`", () => {
    const classify = (error: unknown) =>
      (error as { code?: string }).code === '40001' ? new ApiError('CONFLICT', 'changed meanwhile') : undefined
    expect(mapped(withCode('40001'), classify)).toMatchObject({ extensions: { code: 'CONFLICT' } })
    expect(mapped(withCode('40002'), classify)).toMatchObject({ extensions: { code: 'INTERNAL' } })
  })
})

import { CombinedError, createClient, fetchExchange, gql } from '@urql/core'
import { expect, test } from 'vitest'
import { describeError, errorText, isSignedOut } from './describe-error.ts'

const responseError = (message: string, extensions: Record<string, unknown>): CombinedError =>
  new CombinedError({ graphQLErrors: [{ message, extensions }] })

test('shows the server’s message as a sentence', () => {
  const error = responseError('size must be from 1 to 1000, not 0', { code: 'BAD_USER_INPUT' })
  expect(describeError(error)).toEqual({ what: 'Size must be from 1 to 1000, not 0.' })
})

test('keeps the case of the name of an argument without a label', () => {
  const error = responseError('publicKey: an Ed25519 public key is 32 bytes', { code: 'BAD_USER_INPUT' })
  expect(describeError(error).what).toBe('publicKey: an Ed25519 public key is 32 bytes.')
})

test.each([
  ['hardwareId "A1" is in use', 'Hardware ID "A1" is in use.'],
  ['publicKey: an Ed25519 public key is 32 bytes', 'Public key: an Ed25519 public key is 32 bytes.'],
  ['services[1].port must be from 1 to 65535, not 0', 'Port of service 2 must be from 1 to 65535, not 0.'],
  ['services[0].name: "ssh" appears twice', 'Name of service 1: "ssh" appears twice.'],
  ['attributes.net.ssid may have at most 9 bytes', 'Attributes: net.ssid may have at most 9 bytes.'],
  ['platform must not be empty', 'Platform must not be empty.'],
  ['services are missing', 'Services are missing.'],
  ['access.where, column 3: unknown field', 'Devices, column 3: unknown field.'],
  ['operations[0].removeService.where: unknown field', 'Devices: unknown field.'],
])('replaces an argument at the beginning with its label, if it has one: %s', (message, expected) => {
  const labels = {
    hardwareId: 'Hardware ID',
    publicKey: 'Public key',
    'services.name': 'Name of service',
    'services.port': 'Port of service',
    attributes: 'Attributes',
    where: 'Devices',
  }
  expect(errorText(responseError(message, {}), labels)).toBe(expected)
})

test('includes the request ID of an internal error', () => {
  const error = responseError('internal error', { code: 'INTERNAL', requestId: 'b1' })
  expect(describeError(error)).toMatchObject({ requestId: 'b1', advice: expect.stringContaining('log') })
})

test.each([
  ['done', /was made, so do not repeat it/],
  ['unknown', /see whether the change was made/],
])('does not advise repeating a change whose outcome is %s', (outcome, expected) => {
  for (const code of ['UNAVAILABLE', 'INTERNAL', 'NOT_FOUND']) {
    const { advice, mayBeDone } = describeError(responseError('reading it failed', { code, outcome }))
    expect(mayBeDone).toBe(true)
    expect(advice).toMatch(expected)
    expect(advice).not.toMatch(/try again/i)
  }
})

test('recognizes a missing response', () => {
  const unreachable = new CombinedError({ networkError: new TypeError('Failed to fetch') })
  expect(describeError(unreachable).what).toBe('The server is not responding.')
})

test.each([
  ['an HTML error page', 502, 'text/html', '<h1>Bad Gateway</h1>'],
  ['an HTML page', 200, 'text/html', '<h1>Sign in</h1>'],
  ['invalid JSON', 200, 'application/json', '{'],
])('recognizes a response that is not from Muster: %s', async (_name, status, type, body) => {
  const response = new Response(body, { status, statusText: 'From the proxy', headers: { 'content-type': type } })
  const client = createClient({ url: 'http://proxy', exchanges: [fetchExchange], fetch: async () => response })
  const { error } = await client.query(gql`{ version }`, {})
  expect(describeError(error).what).toBe('The response is not from the Muster API.')
})

test('recognizes an ended session by its error code', () => {
  expect(isSignedOut(responseError('the session has ended', { code: 'UNAUTHENTICATED' }))).toBe(true)
  expect(isSignedOut(responseError('no such device', { code: 'NOT_FOUND' }))).toBe(false)
})

test('joins the error and the advice on one line', () => {
  expect(errorText(responseError('too many requests', { code: 'RATE_LIMITED' }))).toBe(
    'Too many requests. Wait, then try again.',
  )
})

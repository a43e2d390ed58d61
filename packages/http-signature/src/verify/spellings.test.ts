import { describe, expect, test } from 'vitest'
import { formA, usualParameters } from '../../test/craft.ts'
import { nowAsDate, outcomeOf, signed, withHeader } from '../../test/fixtures.ts'
import type { ServerAddress } from '../index.ts'
import { spellings } from './spellings.ts'

const outcomeForHost = (
  url: string,
  host: string,
  server: ServerAddress = {},
  components?: string[],
  form?: 'cavage',
): string =>
  outcomeOf(
    withHeader(signed({ url: `${url}/graphql/v1`, components, form }), 'host', () => host),
    server,
  )

const parts = {
  'host in form A': [undefined, 'cavage'],
  '@authority': [['@method', '@authority', '@path'], undefined],
  'host in form B': [['@method', '@authority', '@path', 'host'], undefined],
} as const satisfies Record<string, [string[] | undefined, 'cavage' | undefined]>

describe.each(Object.entries(parts))('%s', (_, [components, form]) => {
  const outcomeForPart = (url: string, host: string, server: ServerAddress = {}): string =>
    outcomeForHost(url, host, server, components === undefined ? undefined : [...components], form)

  test('is accepted as received', () => {
    expect(outcomeForPart('http://api.example.com', 'api.example.com')).toBe('ok')
    expect(outcomeForPart('http://api.example.com:4000', 'api.example.com:4000')).toBe('ok')
    expect(outcomeForPart('http://[::1]:4000', '[::1]:4000')).toBe('ok')
    expect(outcomeForPart('http://127.0.0.1:4000', '127.0.0.1:4000')).toBe('ok')
  })

  test('is accepted without the received port, or with the port of the connection if no port is received', () => {
    expect(outcomeForPart('http://api.example.com', 'api.example.com:4000')).toBe('ok')
    expect(outcomeForPart('http://api.example.com', 'api.example.com:80')).toBe('ok')
    expect(outcomeForPart('http://[::1]', '[::1]:4000')).toBe('ok')
    expect(outcomeForPart('http://api.example.com:4000', 'api.example.com', { localPort: 4000 })).toBe('ok')
    expect(outcomeForPart('http://api.example.com:4000', 'api.example.com')).toBe('bad-signature')
    expect(outcomeForPart('http://api.example.com:4001', 'api.example.com', { localPort: 4000 })).toBe('bad-signature')
    expect(outcomeForPart('http://api.example.com:4001', 'api.example.com:4000', { localPort: 4001 })).toBe(
      'bad-signature',
    )
  })

  test('is accepted with the address of the public URL', () => {
    const publicUrl = 'https://api.example.com:8443'
    expect(outcomeForPart('https://api.example.com:8443', 'backend:3000', { publicUrl })).toBe('ok')
    expect(outcomeForPart('https://api.example.com', 'api.example.com:8443', { publicUrl })).toBe('ok')
    expect(outcomeForPart('https://api.example.com:8443', 'api.example.com', { publicUrl })).toBe('ok')
    expect(outcomeForPart('http://backend:3000', 'backend:3000', { publicUrl })).toBe('ok')
    expect(outcomeForPart('https://api.example.com:8444', 'backend:3000', { publicUrl })).toBe('bad-signature')
    expect(outcomeForPart('https://api.example.com:3000', 'backend:3000', { publicUrl })).toBe('bad-signature')
    expect(outcomeForPart('https://api.example.com', 'backend:3000', { publicUrl: 'https://API.example.com' })).toBe(
      'ok',
    )
  })

  test('is rejected without a port if the public URL has a port and a proxy replaced the Host header', () => {
    const publicUrl = 'https://api.example.com:8443'
    expect(outcomeForPart('https://api.example.com', 'backend:3000', { publicUrl })).toBe('bad-signature')
    expect(outcomeForPart('https://backend', 'backend:3000', { publicUrl })).toBe('bad-signature')
  })

  test('is rejected if the Host header contains another name', () => {
    for (const host of ['evil.example', 'api.example.com.evil.example', 'example.com', 'api.example.comx']) {
      expect(outcomeForPart('http://api.example.com', host)).toBe('bad-signature')
    }
  })
})

describe('letter case in the address of a request', () => {
  test('is ignored in the Host header', () => {
    for (const components of [undefined, ['@method', '@authority', '@target-uri', 'host']]) {
      expect(outcomeForHost('http://api.example.com:4000', 'API.Example.COM:4000', {}, components)).toBe('ok')
    }
    expect(outcomeForHost('http://api.example.com', 'API.Example.COM', {}, undefined, 'cavage')).toBe('ok')
  })

  test('may be as sent, or lowercase, in the signed Host header', () => {
    const base = `(request-target): post /graphql/v1\nhost: Api.Example.Com\ndate: ${nowAsDate}`
    const asSent = formA(usualParameters, base, { headers: ['Host', 'Api.Example.Com', 'Date', nowAsDate] })
    expect(outcomeOf(asSent)).toBe('ok')
    expect(
      outcomeOf(
        withHeader(signed({ form: 'cavage', url: 'http://api.example.com/' }), 'host', () => 'Api.Example.Com'),
      ),
    ).toBe('ok')
  })
})

describe('@target-uri', () => {
  const components = ['@method', '@authority', '@target-uri']
  const outcomeForUri = (url: string, host: string, server: ServerAddress = {}): string =>
    outcomeForHost(url, host, server, components)

  test('has the scheme of the connection or of the public URL', () => {
    expect(outcomeForUri('http://api.example.com', 'api.example.com')).toBe('ok')
    expect(outcomeForUri('https://api.example.com', 'api.example.com')).toBe('bad-signature')
    expect(outcomeForUri('https://api.example.com', 'api.example.com', { scheme: 'https' })).toBe('ok')
    expect(outcomeForUri('http://api.example.com', 'api.example.com', { scheme: 'https' })).toBe('bad-signature')
    const publicUrl = 'https://api.example.com'
    expect(outcomeForUri('https://api.example.com', 'api.example.com', { publicUrl })).toBe('ok')
    expect(outcomeForUri('https://other.example.com', 'other.example.com', { publicUrl })).toBe('bad-signature')
  })

  test('has the port of the Host header or of the connection', () => {
    expect(outcomeForUri('http://api.example.com:4000', 'api.example.com:4000')).toBe('ok')
    expect(outcomeForUri('http://api.example.com', 'api.example.com:80')).toBe('ok')
    expect(outcomeForUri('http://api.example.com', 'api.example.com:4000')).toBe('bad-signature')
    expect(outcomeForUri('http://api.example.com:4000', 'api.example.com', { localPort: 4000 })).toBe('ok')
  })
})

test('verifies @scheme as the scheme of the connection or of the public URL', () => {
  const components = ['@method', '@authority', '@path', '@scheme']
  expect(outcomeForHost('https://api.example.com', 'api.example.com', {}, components)).toBe('bad-signature')
  expect(outcomeForHost('https://api.example.com', 'api.example.com', { scheme: 'https' }, components)).toBe('ok')
  expect(outcomeForHost('https://api.example.com', 'b:1', { publicUrl: 'https://api.example.com' }, components)).toBe(
    'ok',
  )
  expect(outcomeForHost('https://b', 'b', { publicUrl: 'https://api.example.com' }, components)).toBe('bad-signature')
})

test('returns at most two spellings for any Host header and any server address', () => {
  const components = ['host', '@authority', '@target-uri', '@scheme']
  for (const port of [undefined, '80', '4000']) {
    for (const name of ['api.example.com', 'Api.Example.Com', 'backend']) {
      for (const publicUrl of [undefined, 'https://api.example.com', 'http://api.example.com:4000']) {
        const server = { localPort: 4000, publicUrl, scheme: 'https' } as const
        expect([...spellings({ name, port }, server, components)].length).toBeLessThanOrEqual(2)
      }
    }
  }
})

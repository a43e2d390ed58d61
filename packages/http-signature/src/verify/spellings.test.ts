import { describe, expect, test } from 'vitest'
import { formA, usualParameters } from '../../test/craft.ts'
import { judge, nowAsDate, signed, withHeader } from '../../test/fixtures.ts'
import type { Place } from '../index.ts'
import { spellings } from './spellings.ts'

/** Signed for one address, received with another Host header. */
const judgeHost = (url: string, host: string, place: Place = {}, components?: string[], form?: 'cavage'): string =>
  judge(
    withHeader(signed({ url: `${url}/graphql/v1`, components, form }), 'host', () => host),
    place,
  )

const parts = {
  'host in form A': [undefined, 'cavage'],
  '@authority': [['@method', '@authority', '@path'], undefined],
  'host in form B': [['@method', '@authority', '@path', 'host'], undefined],
} as const satisfies Record<string, [string[] | undefined, 'cavage' | undefined]>

describe.each(Object.entries(parts))('%s', (_, [components, form]) => {
  const judgePart = (url: string, host: string, place: Place = {}): string =>
    judgeHost(url, host, place, components === undefined ? undefined : [...components], form)

  test('as received', () => {
    expect(judgePart('http://api.example.com', 'api.example.com')).toBe('ok')
    expect(judgePart('http://api.example.com:4000', 'api.example.com:4000')).toBe('ok')
    expect(judgePart('http://[::1]:4000', '[::1]:4000')).toBe('ok')
    expect(judgePart('http://127.0.0.1:4000', '127.0.0.1:4000')).toBe('ok')
  })

  test('with or without the port', () => {
    expect(judgePart('http://api.example.com', 'api.example.com:4000')).toBe('ok')
    expect(judgePart('http://api.example.com', 'api.example.com:80')).toBe('ok')
    expect(judgePart('http://[::1]', '[::1]:4000')).toBe('ok')
    expect(judgePart('http://api.example.com:4000', 'api.example.com', { localPort: 4000 })).toBe('ok')
    expect(judgePart('http://api.example.com:4000', 'api.example.com')).toBe('bad-signature')
    expect(judgePart('http://api.example.com:4001', 'api.example.com', { localPort: 4000 })).toBe('bad-signature')
    expect(judgePart('http://api.example.com:4001', 'api.example.com:4000', { localPort: 4001 })).toBe('bad-signature')
  })

  test('as the server is called from outside', () => {
    const publicUrl = 'https://api.example.com:8443'
    expect(judgePart('https://api.example.com:8443', 'backend:3000', { publicUrl })).toBe('ok')
    expect(judgePart('https://api.example.com', 'api.example.com:8443', { publicUrl })).toBe('ok')
    expect(judgePart('https://api.example.com:8443', 'api.example.com', { publicUrl })).toBe('ok')
    expect(judgePart('http://backend:3000', 'backend:3000', { publicUrl })).toBe('ok')
    expect(judgePart('https://api.example.com:8444', 'backend:3000', { publicUrl })).toBe('bad-signature')
    expect(judgePart('https://api.example.com:3000', 'backend:3000', { publicUrl })).toBe('bad-signature')
    expect(judgePart('https://api.example.com', 'backend:3000', { publicUrl: 'https://API.example.com' })).toBe('ok')
  })

  test('as neither the port of another address nor without one, if a proxy replaced the Host header', () => {
    const publicUrl = 'https://api.example.com:8443'
    expect(judgePart('https://api.example.com', 'backend:3000', { publicUrl })).toBe('bad-signature')
    expect(judgePart('https://backend', 'backend:3000', { publicUrl })).toBe('bad-signature')
  })

  test('as nothing else', () => {
    for (const host of ['evil.example', 'api.example.com.evil.example', 'example.com', 'api.example.comx']) {
      expect(judgePart('http://api.example.com', host)).toBe('bad-signature')
    }
  })
})

describe('letter case', () => {
  test('counts for nothing in the Host header', () => {
    for (const components of [undefined, ['@method', '@authority', '@target-uri', 'host']]) {
      expect(judgeHost('http://api.example.com:4000', 'API.Example.COM:4000', {}, components)).toBe('ok')
    }
    expect(judgeHost('http://api.example.com', 'API.Example.COM', {}, undefined, 'cavage')).toBe('ok')
  })

  test('a client may sign its Host header as it sends it, or in lower case', () => {
    const base = `(request-target): post /graphql/v1\nhost: Api.Example.Com\ndate: ${nowAsDate}`
    const asSent = formA(usualParameters, base, { headers: ['Host', 'Api.Example.Com', 'Date', nowAsDate] })
    expect(judge(asSent)).toBe('ok')
    expect(
      judge(withHeader(signed({ form: 'cavage', url: 'http://api.example.com/' }), 'host', () => 'Api.Example.Com')),
    ).toBe('ok')
  })
})

describe('@target-uri', () => {
  const components = ['@method', '@authority', '@target-uri']
  const judgeUri = (url: string, host: string, place: Place = {}): string => judgeHost(url, host, place, components)

  test('has the scheme of the connection, or of what the server is called', () => {
    expect(judgeUri('http://api.example.com', 'api.example.com')).toBe('ok')
    expect(judgeUri('https://api.example.com', 'api.example.com')).toBe('bad-signature')
    expect(judgeUri('https://api.example.com', 'api.example.com', { scheme: 'https' })).toBe('ok')
    expect(judgeUri('http://api.example.com', 'api.example.com', { scheme: 'https' })).toBe('bad-signature')
    const publicUrl = 'https://api.example.com'
    expect(judgeUri('https://api.example.com', 'api.example.com', { publicUrl })).toBe('ok')
    expect(judgeUri('https://other.example.com', 'other.example.com', { publicUrl })).toBe('bad-signature')
  })

  test('has its port', () => {
    expect(judgeUri('http://api.example.com:4000', 'api.example.com:4000')).toBe('ok')
    expect(judgeUri('http://api.example.com', 'api.example.com:80')).toBe('ok')
    expect(judgeUri('http://api.example.com', 'api.example.com:4000')).toBe('bad-signature')
    expect(judgeUri('http://api.example.com:4000', 'api.example.com', { localPort: 4000 })).toBe('ok')
  })
})

test('@scheme goes with the place', () => {
  const components = ['@method', '@authority', '@path', '@scheme']
  expect(judgeHost('https://api.example.com', 'api.example.com', {}, components)).toBe('bad-signature')
  expect(judgeHost('https://api.example.com', 'api.example.com', { scheme: 'https' }, components)).toBe('ok')
  expect(judgeHost('https://api.example.com', 'b:1', { publicUrl: 'https://api.example.com' }, components)).toBe('ok')
  expect(judgeHost('https://b', 'b', { publicUrl: 'https://api.example.com' }, components)).toBe('bad-signature')
})

test('a request takes at most two verifications, whatever it covers and wherever the server is', () => {
  const components = ['host', '@authority', '@target-uri', '@scheme']
  for (const port of [undefined, '80', '4000']) {
    for (const name of ['api.example.com', 'Api.Example.Com', 'backend']) {
      for (const publicUrl of [undefined, 'https://api.example.com', 'http://api.example.com:4000']) {
        const place = { localPort: 4000, publicUrl, scheme: 'https' } as const
        expect([...spellings({ name, port }, place, components)].length).toBeLessThanOrEqual(2)
      }
    }
  }
})
